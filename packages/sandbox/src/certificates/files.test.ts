import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceOfCertificate } from "@disburse/chassis/identity/certificates.ts";
import { expect, it, onTestFinished } from "vitest";
import { workloads } from "../secrets.ts";
import { makeCertificates } from "./files.ts";

const start = new Date("2026-11-23T12:00:00Z");
const daysLater = (days: number) => new Date(start.getTime() + days * 86_400_000);

function sandbox() {
  const folder = mkdtempSync(join(tmpdir(), "disburse-certificates-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const workload of workloads) mkdirSync(join(folder, workload));
  const caFile = join(folder, "ca.crt");
  const place = (workload: string, name: string) => join(folder, workload, name);
  return {
    place,
    make: (now = start, trustDomain = "disburse") =>
      makeCertificates({ caFile, keysFolder: folder, trustDomain }, workloads, { now, spread: 0 }),
    certificate: (workload: string) =>
      new X509Certificate(readFileSync(place(workload, "tls.crt"))),
    authorities: () =>
      readFileSync(caFile, "utf8")
        .split(/(?<=-----END CERTIFICATE-----\n)/)
        .map((pem) => new X509Certificate(pem)),
  };
}

it("makes one for each service, which the others believe", async () => {
  const { make, certificate, place, authorities } = sandbox();
  expect(await make()).toBe(true);
  const [authority, ...others] = authorities();
  expect([authority?.ca, others]).toEqual([true, []]);
  for (const workload of workloads) {
    const own = certificate(workload);
    expect(serviceOfCertificate(own, "disburse")).toBe(workload);
    expect(own.verify(authority!.publicKey)).toBe(true);
    expect(own.ca).toBe(false);
    const key = place(workload, "tls.key");
    expect(own.checkPrivateKey(createPrivateKey(readFileSync(key)))).toBe(true);
    expect(statSync(key).mode & 0o077).toBe(0);
  }
});

it("keeps them for as long as they are good, and then believes the old ones beside", async () => {
  const { make, certificate, authorities } = sandbox();
  await make();
  const { fingerprint256 } = certificate("payout");
  const [first] = authorities();
  expect(await make(daysLater(200))).toBe(false);
  expect(certificate("payout").fingerprint256).toBe(fingerprint256);
  expect(await make(daysLater(250))).toBe(true);
  expect(certificate("payout").fingerprint256).not.toBe(fingerprint256);
  expect(authorities().map(({ serialNumber }) => serialNumber)[1]).toBe(first?.serialNumber);
  // By now the first authority has expired.
  await make(daysLater(500));
  expect(authorities()).toHaveLength(2);
});

it.each<[string, (of: ReturnType<typeof sandbox>) => void]>([
  [
    "a key is another's",
    ({ place }) => {
      writeFileSync(place("quote", "tls.key"), readFileSync(place("payout", "tls.key")));
    },
  ],
  ["one is missing", ({ place }) => rmSync(place("quote", "tls.crt"))],
  [
    "one is another service's",
    ({ place }) => {
      for (const name of ["tls.crt", "tls.key"])
        writeFileSync(place("quote", name), readFileSync(place("payout", name)));
    },
  ],
])("makes them anew where %s", async (_what, spoil) => {
  const created = sandbox();
  await created.make();
  spoil(created);
  expect(await created.make()).toBe(true);
  expect(serviceOfCertificate(created.certificate("quote"), "disburse")).toBe("quote");
});

it("makes them anew for another trust domain", async () => {
  const { make, certificate } = sandbox();
  await make();
  expect(await make(start, "bank")).toBe(true);
  expect(serviceOfCertificate(certificate("quote"), "bank")).toBe("quote");
});
