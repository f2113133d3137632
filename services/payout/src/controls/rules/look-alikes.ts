/**
 * Maps each ASCII character, in lower case, to the characters that look like it. They come from
 * Unicode's `confusables.txt` (UTS #39), except for those that NFKC already replaces. Right-to-left
 * characters are escaped, because they would reverse the line.
 */
const lookAlikes: Readonly<Record<string, string>> = {
  "'": "ʹʻʼʽʾˈˊˋ˴՚՝ᑊᛌ‘’‛′‵ꞌ\u05d9\u05f3\u07f4\u07f5",
  "(": "❨❲〔\ufd3e",
  ")": "❩❳〕\ufd3f",
  "*": "⁎∗𐌟\u066d",
  "+": "᛭➕𐊛",
  ",": "‚ꓹ\u060d\u066b",
  "-": "˗‐‒–⁃−➖Ⲻ\u06d4",
  ".": "ꓸ꘎\u0660\u06f0\u0701\u0702\u{10a50}",
  "/": "᜵⁁⁄∕╱⟋⧸Ⳇ〳ノ㇓丿𝈺",
  2: "ƧϨᒿꙄꛯꝚ",
  3: "ƷȜЗӠⳌꝪꞫ𑣊𖼻𝈆",
  4: "Ꮞ𑢯",
  5: "Ƽ𑢻",
  6: "бᏮⳒ𑣕",
  7: "𐓒𑣆𝈒",
  8: "Ȣȣ৪੪𐌚\u{1e8cb}",
  9: "৭੧୨൭ⳊꝮ𑢬𑣌𑣖",
  ":": "ː˸։᛬᠃᠉⁚∶ꓽ꞉\u05c3\u0703\u0704",
  "<": "˂ᐸᚲ‹❮𝈶",
  ">": "˃ᐳ›❯𖼿𝈷",
  _: "\u07fa",
  a: "ɑΑαАаᎪᗅ⍺ꓮ𐊠𖽀",
  b: "ƄΒВЬᏏᏴᑲᖯᗷꓐꞴ𐊂𐊡𐌁",
  c: "СсᏟᴄⲤⲥꓚꮯ𐊢𐌂𐐕𐐽𐔜𑣩𑣲🝌",
  d: "ԁᎠᏧᑯᗞᗪꓒꓓ",
  e: "ΕЕеҽᎬ℮⋿ⴹꓰꬲ𐊆𑢦𑢮",
  f: "ϜքᖴẝꓝꞘꞙꬵ𐊇𐊥𐔥𑢢𑣂𝈓",
  g: "ƍɡԌցᏀᏳᶃꓖ",
  h: "ΗНһհᎻᏂᕼⲎꓧ𐋏",
  i: "ıɩɪιіӏᎥ⍳ꙇꭵ𑣃",
  j: "ͿϳЈјᎫᒍꓙꞲ",
  k: "ΚКᏦᛕⲔꓗ𐔘",
  l: "ƖǀΙІӀᏞᒪᛁ∣⏽ⲒⳐⵏꓡꓲ𐊊𐌉𐌠𐐛𐔦𑢣𑢲𖼖𖼨𝈪\u05c0\u05d5\u05df\u0627\u0661\u06f1\u07ca\u{1e8c7}",
  m: "ΜϺМᎷᗰᛖⲘꓟ𐊰𐌑",
  n: "ΝոռⲚꓠ𐔓",
  o: "ΟοσОоՕօ०০੦૦ଠ୦௦౦೦ഠ൦๐໐ဝ၀ჿዐᴏᴑⲞⲟⵔ〇ꓳꬽ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑓐𑢵𑣈𑣗𑣠\u05e1\u0647\u0665\u06be\u06c1\u06d5\u06f5\u07c0",
  p: "ΡρРрᏢᑭ⍴Ⲣⲣꓑ𐊕",
  q: "ԛգզⵕ",
  r: "ƦгᎡᏒᖇᴦⲅꓣꭇꭈꮁ𐒴𖼵𝈖",
  s: "ƽЅѕՏᏕᏚꓢꜱꮪ𐊖𐐠𐑈𑣁𖼺",
  t: "ΤТᎢ⊤⟙Ⲧꓔ𐊗𐊱𐌕𑢼𖼊🝨",
  u: "ʋυՍսሀᑌᴜ∪⋃ꓴꞟꭎꭒ𐓎𐓶𑢸𑣘𖽂",
  v: "νѴѵᏙᐯᴠ∨⋁ⴸꓦꛟꮩ𐔝𑜆𑢠𑣀𖼈𝈍\u05d8\u0667\u06f7",
  w: "ɯѡԜԝաᎳᏔᴡꓪꮃ𑜊𑜎𑜏𑣦𑣯",
  x: "×ΧХхᕁᕽ᙭᙮ᚷ╳⤫⤬⨯ⲬⵝꓫꞳ𐊐𐊴𐌗𐌢𐔧𑣬",
  y: "ɣʏΥγУуҮүყᎩᎽᶌỿⲨꓬꭚ𐊲𑢤𑣜𖽃",
  z: "ΖᏃᴢꓜꮓ𐋵𑢩𑣄𑣥",
  "~": "⁓∼",
};

/** ASCII characters that look like each other in UTS #39: `0` and `O`; `1`, `l`, `I` and `|`. */
const asciiLookAlikes = [
  ["0", "o"],
  ["1", "l"],
  ["i", "l"],
  ["|", "l"],
] as const;

const asciiOf = new Map([
  ...Object.entries(lookAlikes).flatMap(([ascii, alike]) =>
    Array.from(alike, (each) => [each, ascii] as const),
  ),
  ...asciiLookAlikes,
]);

/** Replaces each look-alike with its lower-case ASCII character. */
export function withoutLookAlikes(text: string): string {
  return Array.from(text, (each) => {
    const ascii = asciiOf.get(each) ?? each;
    return asciiOf.get(ascii) ?? ascii;
  }).join("");
}
