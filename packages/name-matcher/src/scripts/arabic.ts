// Arabic script omits short vowels. A table romanises common names. In other words, the most
// frequent vowel `a` is added between two consonants, because any romanisation has some vowel
// there.

/** Letters that differ between Arabic, Persian and Urdu keyboards. */
const keyboards =
  /[\u0622\u0623\u0624\u0625\u0626\u0649\u0671\u06a9\u06ab\u06c0\u06c1\u06cc\u06d2]/g;
const [alif, waw, ya, kaf, ha] = ["\u0627", "\u0648", "\u064a", "\u0643", "\u0647"] as const;
const keyboardVariants: ReadonlyMap<string, string> = new Map([
  ...["\u0622", "\u0623", "\u0625", "\u0671"].map((letter) => [letter, alif] as const),
  ...["\u0626", "\u0649", "\u06cc", "\u06d2"].map((letter) => [letter, ya] as const),
  ...["\u06c0", "\u06c1"].map((letter) => [letter, ha] as const),
  ["\u0624", waw],
  ["\u06a9", kaf],
  ["\u06ab", "\u06af"],
]);
const normalizeKeyboard = (written: string): string =>
  written.replace(keyboards, (letter) => keyboardVariants.get(letter) ?? letter);

/** Given names, family names and titles with their usual romanisation. */
const names = nameTable(`
  محمد muhammad محمود mahmud احمد ahmad حامد hamid حميد hamid حمد hamad حسن hasan حسين husayn
  علي ali عمر umar عثمان uthman ابراهيم ibrahim اسماعيل ismail يوسف yusuf يعقوب yaqub موسي musa
  عيسي isa داود dawud سليمان sulayman خالد khalid طارق tariq عبد abd الله allah رحمن rahman
  رحمان rahman كريم karim رحيم rahim عزيز aziz قادر qadir مصطفي mustafa مرتضي murtada جعفر jafar
  صادق sadiq باقر baqir كاظم kazim رضا rida مهدي mahdi هادي hadi جواد jawad سعيد said سعد saad
  مسعود masud منصور mansur ناصر nasir نصر nasr نور nur دين din سيف sayf شمس shams بدر badr
  فخر fakhr صلاح salah كمال kamal جمال jamal جلال jalal بلال bilal هلال hilal عادل adil
  فيصل faysal سلطان sultan سلمان salman فهد fahd ماجد majid مجيد majid وليد walid رشيد rashid
  راشد rashid شريف sharif لطيف latif زكريا zakariya يحيي yahya زيد zayd زياد ziyad حمزة hamza
  طلحة talha عبيد ubayd عبيدة ubayda ايمن ayman انور anwar اسامة usama مالك malik بكر bakr
  فضل fadl مختار mukhtar مراد murad امين amin ايوب ayyub بشير bashir نذير nadhir صالح salih
  صبري sabri شاكر shakir عاصم asim قاسم qasim هاشم hashim هشام hisham وسام wisam حسام husam
  عصام isam غلام ghulam خان khan اغا agha اخوند akhund ملا mulla مولوي mawlawi حاجي haji حاج hajj
  شيخ shaykh سيد sayyid امير amir مير mir شاه shah گل gul پور pur زاده zada اكبر akbar
  اصغر asghar حقاني haqqani مجاهد mujahid قاري qari حافظ hafiz منير munir نعيم naim وحيد wahid
  واحد wahid زين zayn عابد abid فاطمة fatima عائشة aisha عايشة aisha مريم maryam زينب zaynab
  خديجة khadija سارة sara ليلي layla هدي huda صدام saddam قصي qusay عدي uday تكريتي tikriti
  بغدادي baghdadi عراقي iraqi مصري misri تونسي tunisi ليبي libi يمني yamani شامي shami
  حسني husni حسيني husayni موسوي musawi علوي alawi هاشمي hashimi احمدي ahmadi محمدي muhammadi
  كريمي karimi رحيمي rahimi رضايي rezai بن bin ابن ibn بنت bint ابو abu ابي abi ام umm
  اسد asad حيدر haydar عباس abbas فاروق faruq ادريس idris يونس yunus هارون harun لقمان luqman
  جبار jabbar ستار sattar غفار ghaffar رزاق razzaq وهاب wahhab سلام salam حكيم hakim عظيم azim
  حليم halim عليم alim قدوس quddus باسط basit مجتبي mujtaba حسان hassan عمار ammar ياسر yasir
  ياسين yasin طه taha رمضان ramadan شعبان shaban رجب rajab جمعة juma خميس khamis
  محسن muhsin مؤمن mumin مومن mumin مسلم muslim معتز mutazz منذر mundhir مازن mazin مروان marwan
  حمدان hamdan عدنان adnan رضوان ridwan غسان ghassan قحطان qahtan نعمان numan لبنان lubnan
  شركة sharika موسسة muassasa بنك bank جمعية jamiya
`);

function nameTable(pairs: string): ReadonlyMap<string, string> {
  const cells = [...pairs.matchAll(/(\S+)\s+(\S+)/g)];
  return new Map(cells.map(([, arabic = "", latin = ""]) => [normalizeKeyboard(arabic), latin]));
}

const consonants: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ب: "b",
    ت: "t",
    ث: "th",
    ج: "j",
    ح: "h",
    خ: "kh",
    د: "d",
    ذ: "dh",
    ر: "r",
    ز: "z",
    س: "s",
    ش: "sh",
    ص: "s",
    ض: "d",
    ط: "t",
    ظ: "z",
    غ: "gh",
    ف: "f",
    ق: "q",
    ك: "k",
    ل: "l",
    م: "m",
    ن: "n",
    ه: "h",
    پ: "p",
    چ: "ch",
    ژ: "zh",
    گ: "g",
    ڤ: "v",
    ټ: "t",
    ډ: "d",
    ړ: "r",
    ښ: "sh",
    ځ: "z",
    څ: "ts",
    ګ: "g",
    ڼ: "n",
    ٹ: "t",
    ڈ: "d",
    ڑ: "r",
  }),
);

const marksAndHamza = /[\p{M}ـء]/gu;
const word = /\p{Script=Arabic}[\p{Script=Arabic}\p{M}\u0640]*/gu;
/**
 * The article, and first halves of compound names. Both are often written without a space after
 * them.
 */
const prefixes = /^(عبد(?=ال)|ابو(?=\p{L}{3})|ال(?=\p{L}{3}))/u;
const prefixesInLatin: ReadonlyMap<string, string> = new Map([
  ["عبد", "abd"],
  ["ابو", "abu"],
  ["ال", "al"],
]);

/** Romanises each Arabic or Persian word. The article becomes a separate word (`al razzaq`). */
export function romanizeArabic(text: string): string {
  return text.replace(word, (written) => {
    const bare = written.normalize("NFC").replace(marksAndHamza, "");
    return romanizeWord(normalizeKeyboard(bare));
  });
}

function romanizeWord(written: string): string {
  const whole = names.get(written);
  if (whole !== undefined) return whole;
  const prefix = prefixes.exec(written)?.[0] ?? "";
  const latin = prefixesInLatin.get(prefix);
  if (latin === undefined) return vocalized(written);
  return `${latin} ${romanizeWord(written.slice(prefix.length))}`;
}

/**
 * Romanises letter by letter. `w` and `y` between consonants become vowels, and `a` is added for
 * unwritten vowels.
 */
function vocalized(written: string): string {
  let latin = "";
  let afterConsonant = false;
  const consonant = (sound: string): void => {
    latin += afterConsonant ? `a${sound}` : sound;
    afterConsonant = true;
  };
  const vowel = (sound: string): void => {
    if (!latin.endsWith(sound)) latin += sound;
    afterConsonant = false;
  };
  for (let at = 0; at < written.length; at += 1) {
    const letter = written.charAt(at);
    const sound = consonants.get(letter);
    const isHalf = letter === waw || letter === ya;
    if (sound !== undefined) consonant(sound);
    else if (isHalf && afterConsonant && written.charAt(at + 1) !== alif) {
      vowel(letter === waw ? "u" : "i");
    } else if (isHalf) consonant(letter === waw ? "w" : "y");
    else if (openVowels.has(letter)) vowel("a");
    else latin += letter;
  }
  return latin;
}

/** Letters that are read as a vowel: alif, ain and the feminine ending. */
const openVowels: ReadonlySet<string> = new Set([alif, "\u0639", "\u0629"]);
