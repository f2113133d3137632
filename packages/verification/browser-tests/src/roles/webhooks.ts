import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";

/** Alma repairs her receiver and sends a waiting event at once. */
export const webhooks: BrowserTest = {
  name: "webhooks",
  about: "sends a waiting delivery at once, reads its request, and sees attempts without a reload",
  run: async ({ arrive }) => {
    const receiver = await startReceiver();
    try {
      const { page, open, checkPage } = await arrive("alma");
      const dialog = page.getByRole("dialog");
      await open("webhooks/new");
      await page.locator("[name=url]").fill(receiver.url);
      await page.getByRole("button", { name: "Create the endpoint" }).click();
      await page.getByRole("button", { name: "I have copied them" }).click();
      await page.getByRole("button", { name: "Send a test event" }).click();
      await dialog.getByRole("button", { name: "Send a test event" }).click();
      await page.getByRole("link", { name: /webhook_test/ }).click();
      const attempts = page.getByRole("region", { name: "Attempts" }).getByRole("row");
      // The head, and three attempts that were refused.
      await attempts.nth(3).waitFor();
      await page.getByText("webhook-signature", { exact: true }).waitFor();
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByRole("button", { name: "Copy as curl" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const curl = await page.evaluate<string>("navigator.clipboard.readText()");
      expectThat(curl.startsWith(`curl -X POST '${receiver.url}'`), `a command: ${curl}`);
      receiver.repair();
      await page.getByRole("button", { name: "Send now" }).click();
      await dialog.getByRole("button", { name: "Send now" }).click();
      // The fourth wait is 40 s.
      await page.locator(".badge", { hasText: "Delivered" }).waitFor({ timeout: 15_000 });
      await checkPage("delivery-sent", page.getByRole("button", { name: "Send again" }));
      await page.getByRole("link", { name: /^whe_/ }).click();
      await checkPage("webhook-figures", page.getByText("1 of 1"));
    } finally {
      receiver.close();
    }
  },
};

/** Refuses webhooks until it is repaired. */
async function startReceiver() {
  let status = 500;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    repair: () => {
      status = 200;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
