import { buffer } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { printable } from "../rules/printable.ts";

/** Loaded with the first PDF: most processes make none. */
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

/** What every reader has, for Western European letters: laying it out is ten times as fast. */
const basic = { plain: "Helvetica", bold: "Helvetica-Bold", mono: "Courier" } as const;
/** For all else. */
const wide = { plain: "wide", bold: "wide-bold" } as const;
const western = /^[\u0020-\u007e\u00a0-\u00ff]*$/;

function fontFor(text: string, weight: "plain" | "bold"): string {
  return (western.test(text) ? basic : wide)[weight];
}

/** Rows after which other work of the process has its turn. */
const rowsAtOnce = 50;

/** Of A4, in points. */
const margin = 48;
const width = 595.28 - 2 * margin;
const bottom = 841.89 - margin;

const sizes = { title: 18, heading: 11, text: 9, small: 7.5 };

/** A column of a table: its share of the width, and whether it has numbers. */
export type Column = {
  readonly title: string;
  readonly share: number;
  readonly isNumber?: boolean;
};

type Document = Awaited<ReturnType<typeof openDocument>>;

/** Writes cells beside each other, on the next page where this one has no room for them. */
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

/** A document with a title, written from top to bottom in the order of the calls. */
export async function openPdf(title: string) {
  const document = await openDocument(title);
  const whole = buffer(document);
  document.font(basic.bold).fontSize(sizes.title).text(printable(title), { width });
  document.moveDown(0.5);
  const row = (columns: readonly Column[], cells: readonly string[], font: "plain" | "bold") =>
    writeRow(document, columns, cells, font);
  return {
    /** Names and what each is. */
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
