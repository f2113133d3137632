import { buffer } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { printable } from "./printable.ts";

/** Loads the PDF library only when the first PDF is rendered: most processes never need it. */
async function openDocument(title: string) {
  const { default: PdfDocument } = await import("pdfkit");
  const document = new PdfDocument({
    size: "A4",
    margin: margin,
    lang: "en",
    displayTitle: true,
    info: { Title: title, Producer: "Disburse", Creator: "Disburse" },
  });
  document.registerFont(
    wide.plain,
    fileURLToPath(import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf")),
  );
  document.registerFont(
    wide.bold,
    fileURLToPath(import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf")),
  );
  return document;
}

/**
 * Built-in fonts for texts with Western European letters only. Their layout is ten times as fast as
 * that of embedded fonts.
 */
const basic = { plain: "Helvetica", bold: "Helvetica-Bold", mono: "Courier" } as const;
const wide = { plain: "wide", bold: "wide-bold" } as const;
const western = /^[\u0020-\u007e\u00a0-\u00ff]*$/;

function fontFor(text: string, weight: "plain" | "bold"): string {
  return (western.test(text) ? basic : wide)[weight];
}

/** The number of rows that are written before other work of the process gets the event loop. */
const rowsAtOnce = 50;

/** The margin of an A4 page, in points. */
const margin = 48;
const width = 595.28 - 2 * margin;
const bottom = 841.89 - margin;

const sizes = { title: 18, heading: 11, text: 9, small: 7.5 };

/** A column of a table. `share` is its part of the table's width. */
export type Column = {
  readonly title: string;
  readonly share: number;
  readonly isNumber?: boolean;
};

type Document = Awaited<ReturnType<typeof openDocument>>;

/** Writes a row of cells. Starts a new page if the row doesn't fit. */
function writeRow(
  document: Document,
  columns: readonly Column[],
  cells: readonly string[],
  font: "plain" | "bold",
): void {
  document.fontSize(sizes.small);
  const boxes = columns.map(({ share }) => share * width - 6);
  const texts = cells.map(printable);
  const height = Math.max(
    ...texts.map((text, at) =>
      document.font(fontFor(text, font)).heightOfString(text, { width: boxes[at] ?? width }),
    ),
  );
  if (document.y + height > bottom) document.addPage();
  const y = document.y;
  let x = margin;
  for (const [at, { share, isNumber = false }] of columns.entries()) {
    const options = { width: boxes[at] ?? width, align: isNumber ? "right" : "left" } as const;
    const text = texts[at] ?? "";
    document.font(fontFor(text, font)).text(text, x, y, options);
    x += share * width;
  }
  document.x = margin;
  document.y = y + height + 4;
}

/** Opens a document with a title. Later calls add content from top to bottom. */
export async function openPdf(title: string) {
  const document = await openDocument(title);
  const whole = buffer(document);
  document.font(basic.bold).fontSize(sizes.title).text(printable(title), { width });
  document.moveDown(0.5);
  const row = (columns: readonly Column[], cells: readonly string[], font: "plain" | "bold") =>
    writeRow(document, columns, cells, font);
  return {
    fields: (pairs: readonly (readonly [name: string, value: string])[]) => {
      const columns = [
        { title: "", share: 0.3 },
        { title: "", share: 0.7 },
      ];
      for (const pair of pairs) row(columns, pair, "plain");
      document.moveDown(0.5);
    },
    heading: (text: string) => {
      document.font(basic.bold).fontSize(sizes.heading).text(printable(text), margin, document.y);
      document.moveDown(0.3);
    },
    table: async (columns: readonly Column[], rows: readonly (readonly string[])[]) => {
      row(
        columns,
        columns.map(({ title: text }) => text),
        "bold",
      );
      for (const [at, cells] of rows.entries()) {
        row(columns, cells, "plain");
        if (at % rowsAtOnce === rowsAtOnce - 1) await setImmediate();
      }
      document.moveDown(0.5);
    },
    text: (text: string) => {
      document
        .font(basic.plain)
        .fontSize(sizes.text)
        .text(printable(text), margin, document.y, { width });
      document.moveDown(0.5);
    },
    code: (text: string) => {
      document.font(basic.mono).fontSize(sizes.small).text(text, margin, document.y, { width });
      document.moveDown(0.5);
    },
    attach: (name: string, content: string) => {
      document.file(Buffer.from(content), { name, type: "application/json" });
    },
    end: (): Promise<Buffer> => {
      document.end();
      return whole;
    },
  };
}
