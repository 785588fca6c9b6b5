import { Component, type ComponentChild, type FunctionComponent } from "preact"

/** Whether two records have the very same values. */
export const isSame = <P extends object>(one: P, other: P): boolean => {
  const entries = Object.entries(one)
  return (
    entries.length === Object.keys(other).length &&
    entries.every(([name, value]) => Object.hasOwn(other, name) && Object.is(value, Reflect.get(other, name)))
  )
}

/** A component that is not rendered again while it is given the very same; `areSame` says what that is. */
export const memo = <P extends object>(View: FunctionComponent<P>, areSame: (one: P, other: P) => boolean = isSame) =>
  class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !areSame(this.props, next)
    }

    override render(): ComponentChild {
      return <View {...this.props} />
    }
  }
