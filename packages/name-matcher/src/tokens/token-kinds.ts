import { legalAbbreviations } from "./whole-words.ts";

/*
 * Stop words of names. They are kept and aligned with a small weight: a company with or without
 * `Ltd`, or a person with or without `Dr`, is the same one.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

/** Legal forms, and the words of spelled-out legal forms, after transliteration. */
const legalForms = legalAbbreviations.union(
  words(`
  ltd limited ltda limitada llc llp lp lllp plc inc incorporated corp corporation co company cia
  compania compagnie gmbh ag kg kgaa ohg ug mbh sa sas sarl sl slu srl spa snc scs bv nv vof cv oy
  oyj ab as asa aps ou uab sia doo dd ad ead eood ood kft zrt nyrt sro zoo sp spzoo pte pty pvt
  private public proprietary ooo oao zao pao ao nao ano too tov pat prat chp ip fgup gup mup ojsc
  cjsc pjsc jsc jsco pjs pjsco and the joint stock liability partnership obshchestvo obshestvo
  obschestvo ogranichennoy ogranichennoi otvetstvennostyu otvetstvennostiu aktsionernoe
  aktsionernoye publichnoe publichnoye zakrytoe otkrytoe sociedad anonima por acciones simplificada
  responsabilidad capital variable societe anonyme sociedade anonim sirketi sirket limitet ve
  ticaret sti fze fzc fzco fzllc dmcc wll bsc saog sae sal pjsk sdn bhd berhad tbk pt kk kabushiki
  kaisha yugen gk foundation est
  open closed aktiengesellschaft gesellschaft beschrankter beschraenkter haftung
  kommanditgesellschaft
  aktiebolag aktieselskab aksjeselskap anpartsselskab osakeyhtio besloten naamloze vennootschap
  societa responsabilita limitata azioni sociedade quotas spolka akcyjna ograniczona
  odpowiedzialnoscia odpowiedzialnosci spolecnost rucenim omezenym akciova korlatolt felelossegu
  tarsasag societatea raspundere cu drustvo dionicko ogranicenom odgovornoscu tovarystvo
  obmezhenoyu vidpovidalnistyu aktsionerne tovaristvo ogranichenoi otvetstvennost ogranichennaya
  nepublichnoe gosudarstvennoe unitarnoe predpriyatie federalnoe sherkat sharikat
`),
);

/** Articles, conjunctions and the particles inside names of many languages. */
const particles = words(`
  the of and for in on at to a an und der die das de del della di da do dos des du la le les el los
  las y e et en al ul ud ad as ash ar an at az bin bint ibn ben ould abu abou abd van von den ter
  ten zu i o u dit
`);

/** Titles, ranks and forms of address. */
const honorifics = words(`
  mr mrs ms miss mx sir dame lord lady dr doctor prof professor ing eng lic esq phd md jr sr hon
  honorable excellency he hrh hh sheikh shaykh shaikh sheik haji hajji hajj hadji alhaji mullah
  mulla maulvi maulavi mawlawi maulana mawlana molla ayatollah imam sayyid sayyed seyyed syed sayed
  ustad ustadh emir amir prince princess king queen general gen colonel col major maj captain capt
  lieutenant lt sergeant sgt brigadier brig admiral adm commander marshal senator minister president
  mba cpa cfa cfp acca fca llb llm dba dds dmd dvm bsc msc bcom mcom mphil dphil edd dipl diplom obe
  mbe cbe kbe retd emeritus ii iii iv
  governor ambassador judge deputy don dona senor senora monsieur madame herr frau fr father rev
  reverend bishop pan pani
`);

/** Words of one trade. A company that writes another word of its line is probably the same one. */
const trades = `
  air airline airlines airway airways
  bank banks banking
  brother brothers bros
  chemical chemicals
  commerce commercial
  construction constructions
  consulting consultant consultants consultancy
  development developments
  distribution distributor distributors
  engineering engineer engineers
  export exports exporter exporters
  farm farms farming
  finance financial financing
  fishing fishery fisheries
  holding holdings
  import imports importer importers
  industry industries industrial
  international intl
  investment investments invest investing investors
  manufacturing manufacture manufacturer manufacturers
  mining mine mines
  publishing publisher publishers
  ship ships shipping shipline shiplines
  supply supplies supplier suppliers
  technology technologies tech technological
  telecom telecoms telecommunication telecommunications
  tour tours tourism
  trade trades trader traders trading
  transport transports transportation
`;
const tradeOf: ReadonlyMap<string, string> = new Map(
  trades
    .trim()
    .split("\n")
    .map((line) => line.trim().split(" "))
    .flatMap((line) => line.map((word) => [word, line[0] ?? word])),
);

/** Trade words, countries and large cities, which many companies share. */
const otherTradeWords = words(`
  global general group services
  service solutions systems enterprise
  enterprises management
  logistics energy oil gas petroleum
  capital partners associates ventures resources marketing
  products electronics center centre institute university organization organisation association
  union network media digital north south east west northern southern eastern western new national
  united american european asia middle world first star royal golden gold silver blue green red
  agency airport arms association aviation base branch building business central
  city club college communications community complex computer cooperative council
  department design directorate economic education electric electrical electronic equipment
  exploration factory fashion federal film food foods freight fund gallery garden
  general goods headquarters health help hospital hotel house information institution insurance
  island job lines line machinery maritime market materials medical metal metals military
  ministry motors mutual natural office oilfield operations park plant plastics police port
  power press processing production productions project projects property radio railway
  real estate recruitment refinery relief republic research restaurant retail river road school
  science scientific security shop software steel store studio sun
  television textile tools town training transit travel tree trust
  university valley vehicle village water weapons welfare wholesale wood workshop works zone
  army navy forces armed guard guards defence defense intelligence interior internal affairs foreign
  justice committee border customs treasury
  kompaniya korporatsiya zavod kombinat fabrika institut tsentr byuro obedinenie kontsern gruppa
  solar harbor harbour bridge gulf pacific atlantic alliance prime premier delta alpha omega nova
  elite universal modern smart metro city trans inter euro asian african arab islamic
  afghanistan africa america arabia austria azerbaijan bahrain bangladesh beijing belarus belgium
  brazil britain cairo canada china chinese colombia cuba cuban cyprus damascus deutschland dubai
  egypt emirates england europe france french georgia german germany guangdong hong kong hongkong
  india indian indonesia iran iranian iraq iraqi istanbul italia italy japan jordan kazakhstan
  kish korea korean kuwait latvia lebanon lebanese libya libyan london malaysia malta mexico
  mexicana moscow moskva myanmar nicaragua nigeria oman pakistan palestine panama persian polska
  qatar rossii rossiya rossiyskaya russia russian saudi serbia shanghai shenzhen singapore somalia
  south spain sudan switzerland syria syrian taiwan tehran thailand tunisia turkey turkiye uae uk
  ukraine uzbekistan venezuela vietnam yemen
`);

const tradeWords = otherTradeWords.union(new Set(tradeOf.keys()));

/** True for two words of one trade: `Airlines`, `Airways`. */
export function isSameTrade(one: string, other: string): boolean {
  const trade = tradeOf.get(one);
  return trade !== undefined && trade === tradeOf.get(other);
}

/** The short forms of legal forms that are often written in full. */
const shortForms: ReadonlyMap<string, string> = new Map([
  ["limited", "ltd"],
  ["company", "co"],
  ["corporation", "corp"],
  ["incorporated", "inc"],
  ["aktiengesellschaft", "ag"],
  ["limitada", "ltda"],
]);

/** Returns a legal form in the form used for comparison: `Limited` becomes `Ltd`. */
export function abbreviatedLegalForm(token: string): string {
  return shortForms.get(token) ?? token;
}

/** All token kinds. The index stores a kind as its position in this list. */
export const allTokenKinds = [
  "legal",
  "particle",
  "honorific",
  "trade",
  "initial",
  "name",
] as const;
/**
 * The role of a token in a name. A `name` token identifies strongly, `trade` less, and the other
 * kinds hardly.
 */
export type TokenKind = (typeof allTokenKinds)[number];

/**
 * Titles that are also common given names. The other tokens of the name decide which one applies.
 */
const titlesOrNames = words(`
  haji hajji ayatollah amir emir imam prince king queen judge dean don lord pan sultan sayed seyed syed
  sayyid general marshal major hajj
`);

/**
 * The minimum identifying tokens besides a title. With fewer, the title may be part of the name
 * (`Haji Jafari`).
 */
const identifyingMin = 2;

/** Returns the kind of each token, in the name of a person or of anything else. */
export function tokenKinds(tokens: readonly string[], isPerson: boolean): TokenKind[] {
  const kinds = tokens.map((token) => tokenKind(token, isPerson));
  return isPerson ? personTokenKinds(tokens, kinds) : kinds;
}

/**
 * Adjusts the token kinds of a person's name to their context. `kinds` has the kind of each token
 * by itself.
 */
export function personTokenKinds(tokens: readonly string[], kinds: TokenKind[]): TokenKind[] {
  let identifying = 0;
  for (const kind of kinds) if (kind === "name") identifying += 1;
  if (identifying >= identifyingMin) return kinds;
  // Uses `push`, because V8 then gives all arrays of kinds the same internal type, which keeps
  // their readers fast.
  const adjusted: TokenKind[] = [];
  for (let at = 0; at < kinds.length; at += 1) {
    adjusted.push(titlesOrNames.has(tokens[at] ?? "") ? "name" : (kinds[at] ?? "name"));
  }
  return adjusted;
}

/**
 * Returns the positions of the tokens by which a name is searched: names and trade words, or all
 * tokens if there are none.
 */
export function distinctivePositions(tokens: readonly string[], isPerson: boolean): number[] {
  const kinds = tokenKinds(tokens, isPerson);
  const all = [...tokens.keys()];
  const distinctive = all.filter((at) => kinds[at] === "name" || kinds[at] === "trade");
  return distinctive.length > 0 ? distinctive : all;
}

/** Returns the kind of a token by itself. */
export function tokenKind(token: string, isPerson: boolean): TokenKind {
  if (isPerson) {
    if (token.length === 1) return "initial";
    if (particles.has(token)) return "particle";
    return honorifics.has(token) ? "honorific" : "name";
  }
  if (legalForms.has(token)) return "legal";
  if (particles.has(token)) return "particle";
  return tradeWords.has(token) ? "trade" : "name";
}

/** Names of more tokens are not written as one word. */
const concatenatedTokensMax = 8;

/**
 * Returns the parts of a name joined to one word: all tokens, and all except particles and legal
 * forms.
 */
export function concatenations<T>(
  tokens: readonly T[],
  kinds: readonly TokenKind[],
): (readonly T[])[] {
  const own = tokens.filter((_, at) => kinds[at] !== "particle" && kinds[at] !== "legal");
  const all = own.length === tokens.length ? [tokens] : [tokens, own];
  return all.filter(({ length }) => length >= 2 && length <= concatenatedTokensMax);
}
