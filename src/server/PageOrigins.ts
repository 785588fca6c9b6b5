import { Context } from "effect"

/** Pages from elsewhere that a server without keys answers too: origins, such as `https://console.example`. */
export class PageOrigins extends Context.Service<PageOrigins, ReadonlyArray<string>>()("effect-aap/PageOrigins") {}
