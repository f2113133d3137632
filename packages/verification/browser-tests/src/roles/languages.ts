import type { BrowserTest } from "../browser-test.ts";
import type { Visitor } from "../visitor.ts";

/** Pages that no navigation names. */
const forms = ["payouts/new", "beneficiaries/new", "depositors/new", "batches/new"];

/** Walks all pages in a pseudo-language: accents, 40 % longer, from right to left. */
export const languages: BrowserTest = {
  name: "languages",
  about: "shows each page in a longer language from right to left, and no other text",
  run: async ({ arrive }) => {
    const mia = await arrive("mia");
    await walk(mia, forms);
    await walk(await arrive("ada"), ["actions/rates-set"]);
    await walk(await arrive("carol"), []);
    await walk(await arrive("frank"), []);
  },
};

async function walk(visitor: Visitor, others: readonly string[]): Promise<void> {
  const { page, open, faults } = visitor;
  // The sign-in is in English, as its tests are. The console reads the language when it loads.
  await page.addInitScript("Object.defineProperty(navigator, 'languages', { value: ['ar-XB'] })");
  await open("");
  await page.locator("nav a").first().waitFor();
  const links = await page.evaluate<string[]>(
    "[...document.querySelectorAll('nav a')].map(({ href }) => href)",
  );
  for (const path of [...links, ...others]) {
    await open(path);
    const name = `languages-${path.replace(/^.*\/console\//, "").replaceAll("/", "-")}`;
    await visitor.checkPage(name, page.locator("main h1"));
    // The table of operators' actions has texts for the command line too: they stay English.
    const texts = path.includes("actions") ? [] : await page.evaluate<string[]>(untranslated);
    faults.push(...texts.map((text) => `${name}: outside the messages: ${text}`));
  }
}

/** Lists the labels of a page that have letters, but no accent. Data is never in these elements. */
const untranslated = `[...document.querySelectorAll("h2, h3, nav a, th, label, legend, main button:not([role=radio])")]
  .filter((each) => each.closest(".mono") === null)
  .map(({ innerText }) => innerText.trim())
  .filter((text) => /[a-z]{3}/i.test(text) && !/[àçéîñôûýÀÇÉÎÑÔÛÝ]/.test(text))`;
