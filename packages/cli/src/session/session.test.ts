import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testWorld } from "../test-world.ts";
import { startProvider } from "./test-provider.ts";

let provider: Awaited<ReturnType<typeof startProvider>>;
let world: ReturnType<typeof worldOf>;
const clock = { aheadMs: 0 };

function worldOf(issuer: string) {
  const created = testWorld(
    ({ service }) => service(PayoutOperatorService, { listRails: () => ({ rails: [] }) }),
    {
      environment: { DISBURSE_TOKEN: undefined, DISBURSE_ISSUER: issuer },
      now: () => new Date(Date.now() + clock.aheadMs),
    },
  );
  return { ...created, file: join(created.folder, "state", "disburse", "logins.json") };
}

beforeEach(async () => {
  clock.aheadMs = 0;
  provider = await startProvider();
  world = worldOf(provider.url);
});
afterEach(async () => {
  await provider.stop();
  world.remove();
});

const logins = () => Object.values(JSON.parse(readFileSync(world.file, "utf8")).logins);

describe("a login", () => {
  it("uses the device flow, is readable only by its user, and is revoked on logout", async () => {
    const { code, err } = await world.run("login");
    expect(code).toBe(0);
    expect(err).toContain(
      `open ${provider.url}/device\nand enter ABCD-EFGH there within 10 minutes`,
    );
    expect(err).toContain("logged in as ada (treasury)");
    const [begun, waited, got] = provider.requests;
    expect(begun?.get("client_id")).toBe("disburse-cli");
    expect([waited, got].map((each) => each?.get("device_code"))).toEqual(["device-1", "device-1"]);
    expect(statSync(world.file).mode & 0o777).toBe(0o600);
    expect(statSync(join(world.file, "..")).mode & 0o777).toBe(0o700);
    const who = JSON.parse((await world.run("whoami", "--json")).out);
    expect(who).toMatchObject({ subject: "ada", roles: ["treasury"], from: "login" });
    expect(await world.run("logout")).toMatchObject({ code: 0, err: "logged out\n" });
    expect(provider.requests.at(-1)?.get("token")).toBe("refresh-1");
    expect(logins()).toEqual([]);
    expect((await world.run("whoami")).code).toBe(4);
    expect(await world.run("logout")).toMatchObject({ err: "not logged in\n" });
  });

  it("is renewed when its token expires, until the provider refuses", async () => {
    provider.state.pendingFor = 0;
    await world.run("login");
    clock.aheadMs = 890_000;
    expect((await world.run("whoami")).code).toBe(0);
    expect(provider.requests.at(-1)?.get("refresh_token")).toBe("refresh-1");
    expect(logins()).toMatchObject([{ refresh_token: "refresh-2" }]);
    clock.aheadMs = 2_000_000;
    provider.state.refused = "invalid_grant";
    expect(await world.run("whoami")).toMatchObject({
      code: 4,
      err: expect.stringContaining("the login has expired; run: disburse login"),
    });
  });

  it("that the provider refuses is not stored", async () => {
    provider.state.refused = "access_denied";
    const { code, err } = await world.run("login");
    expect(code).toBe(4);
    expect(err).toContain("access_denied: by a test");
    expect((await world.run("whoami")).code).toBe(4);
  });

  it("fails with 5 if the provider is unavailable, and with 2 if none is set", async () => {
    await provider.stop();
    expect((await world.run("login")).code).toBe(5);
    const other = worldOf("");
    expect(await other.run("login")).toMatchObject({
      code: 2,
      err: expect.stringContaining("DISBURSE_ISSUER"),
    });
    const remote = worldOf("http://login.example.com");
    expect(await remote.run("login")).toMatchObject({
      code: 2,
      err: expect.stringContaining("must be an https URL"),
    });
    other.remove();
    remote.remove();
  });

  it("with a damaged file has to be repeated", async () => {
    provider.state.pendingFor = 0;
    await world.run("login");
    writeFileSync(world.file, "{");
    const { code, err } = await world.run("whoami");
    expect(code).toBe(4);
    expect(err).toContain("is not a file of logins");
  });
});
