/** 360 px and wide, light and dark. */
export const baseStyle = `:root{color-scheme:light dark;--brand:#1f4fd8;--on-brand:#fff}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;margin:0;border-top:.5rem solid var(--brand);overflow-wrap:anywhere}
main{max-width:34rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
.way{font-weight:600}
.field{margin:0 0 1.25rem}
label{display:block;font-weight:600;margin:0 0 .25rem}
input,select{font:inherit;width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid GrayText;border-radius:.375rem;background:Field;color:FieldText}
input[readonly]{border-style:dashed}
input[type=checkbox]{width:1.25rem;min-height:1.25rem;vertical-align:middle}
input[type=checkbox]+label{display:inline}
[aria-invalid]{border:2px solid light-dark(#b3261e,#ff8a80)}
.problem,.wrong{color:light-dark(#b3261e,#ff8a80);margin:.25rem 0}
.wrong{border-left:.25rem solid;padding:.25rem .75rem;margin:0 0 1.25rem}
button,.choice{font:inherit;font-weight:600;display:block;width:100%;min-height:3rem;padding:.75rem 1rem;border:0;border-radius:.375rem;background:var(--brand);color:var(--on-brand);text-align:center;text-decoration:none;cursor:pointer}
.choices{list-style:none;margin:1.5rem 0;padding:0;display:grid;gap:.75rem}
:focus-visible{outline:3px solid light-dark(#000,#fff);outline-offset:2px}
`;

/** The merchant's colour, and letters on it that can be read: the better of black and white. */
export function brandStyle(color: string): string {
  if (!/^#[0-9a-fA-F]{6}$/.test(color)) return "";
  const channel = (at: number) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  // Relative luminance (WCAG 2.2); above this one black contrasts more than white.
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return `:root{--brand:${color};--on-brand:${luminance > 0.179 ? "#000" : "#fff"}}\n`;
}
