import { assert, describe, it } from "@effect/vitest"
import * as AddressGuard from "../../src/tool/AddressGuard.ts"

const refusedAddresses = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.255",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "example.org",
  ""
]

describe("AddressGuard", () => {
  it.each(refusedAddresses)("%s is not public", (address) => {
    assert.isFalse(AddressGuard.isPublic(address))
  })

  it.each(["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "192.169.0.1", "2606:4700::1111", "2a00:1450::1"])(
    "%s is public",
    (address) => {
      assert.isTrue(AddressGuard.isPublic(address))
    }
  )

  /** Every way of writing an address that a URL takes. */
  it.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.0.0.1./",
    "http://[::1]/",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://①②⑦.⓪.⓪.①/",
    "http://169.254.169.254/latest",
    "http://0/"
  ])("%s may not be connected to", (url) => {
    assert.isFalse(AddressGuard.mayConnect(AddressGuard.allow([]), new URL(url).hostname))
  })

  it("lets in what is allowed by name, address or network", () => {
    const allowed = AddressGuard.allow(["10.1.0.0/16", "127.0.0.1", "Intranet.example", "fd00::/8"])
    assert.isTrue(allowed.address("10.1.2.3"))
    assert.isFalse(allowed.address("10.2.0.1"))
    assert.isTrue(allowed.address("fd12::1"))
    assert.isTrue(allowed.host("intranet.example"))
    assert.isTrue(AddressGuard.mayConnect(allowed, "127.0.0.1"))
    assert.isFalse(AddressGuard.mayConnect(allowed, "127.0.0.2"))
  })
})
