import type { Locator, Request } from "playwright-core";
import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import type { Visitor } from "../visitor.ts";

/** Alma and Carol press buttons that create something twice. */
export const doubles: BrowserTest = {
  name: "doubles",
  about: "a double click creates one endpoint, one key, one person, one depositor, one screening",
  run: async ({ arrive }) => {
    const alma = await arrive("alma");
    const { page, open } = alma;
    const dialog = page.getByRole("dialog");
    const path = `/double-${Date.now()}`;
    await open("webhooks/new");
    await page.locator("[name=url]").fill(`http://127.0.0.1:9${path}`);
    await pressTwice(alma, page.getByRole("button", { name: "Create the endpoint" }));
    await page.getByRole("button", { name: "I have copied them" }).click();
    await open("webhooks");
    await page.getByRole("link", { name: path }).first().waitFor();
    const count = await page.getByRole("link", { name: path }).count();
    expectThat(count === 1, `a double click makes one endpoint: ${count}`);
    await open("keys");
    await page.getByRole("button", { name: "New key" }).click();
    await dialog.getByLabel("payout:read").check();
    await pressTwice(alma, dialog.getByRole("button", { name: "New key" }));
    await page.getByRole("button", { name: "I have copied it" }).click();
    await open("team");
    await page.getByRole("button", { name: "Add a person" }).click();
    await dialog.getByLabel("Name").fill("Tom Twice");
    await dialog.getByLabel("E-mail address").fill(`tom${Date.now()}@acme.example`);
    await pressTwice(alma, dialog.getByRole("button", { name: "Add a person" }));
    await page.getByRole("cell", { name: "Tom Twice" }).first().waitFor();
    await open("depositors/new");
    await page.getByLabel("Kind of depositor").selectOption({ label: "Your own business" });
    await page.locator("[name=depositor_wallet_address]").fill(wallet);
    await page.locator("[name=depositor_business_id]").fill("biz-twice");
    await pressTwice(alma, page.getByRole("button", { name: "Add the depositor" }));
    await page.getByText("Whitelisted").waitFor();

    const carol = await arrive("carol");
    await carol.open("compliance/search");
    await carol.page.getByLabel("Merchant").selectOption({ index: 1 });
    await carol.page.locator("[name=name]").fill("Tom Twice");
    const search = carol.page.getByRole("button", { name: "Search", exact: true });
    const first = operationOf(await pressTwice(carol, search));
    await carol.page.getByText(/^Compared with/).waitFor();
    const second = operationOf(await pressTwice(carol, search));
    expectThat(first !== second, `two searches have two request ids: ${first}, ${second}`);
  },
};

const wallet = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/** RPCs that read are sent by POST too. A page reads its records again after a change. */
const isChange = (request: Request) =>
  request.method() === "POST" && !/\/(?:List|Get|Count)\w+$/.test(request.url());

/** Clicks a button twice before the page can react, and counts the changes that are sent. */
async function pressTwice({ page }: Visitor, button: Locator): Promise<Request | undefined> {
  const sent: Request[] = [];
  const listen = (request: Request) => {
    if (isChange(request)) sent.push(request);
  };
  page.on("request", listen);
  const answered = page.waitForResponse((response) => isChange(response.request()));
  await button.evaluate((element: { click: () => void }) => {
    element.click();
    element.click();
  });
  await answered;
  await page.waitForTimeout(300);
  page.off("request", listen);
  const urls = sent.map((request) => request.url());
  expectThat(sent.length === 1, `two clicks send one change: ${urls.join(", ")}`);
  return sent[0];
}

/** Returns the id under which a service carries out a change once. */
const operationOf = (request: Request | undefined): string =>
  (request?.postDataJSON() as Mutating | undefined)?.mutation.operationId ?? "";

type Mutating = { readonly mutation: { readonly operationId: string } };
