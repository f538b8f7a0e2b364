/** Detects refusals without a model: by the beginning of a response, and in short responses by phrases anywhere. */

/** A refusal is said early. What comes later in a long answer may be a quotation. */
const OPENING_CHARACTERS = 240;
/** A phrase of refusal counts anywhere in a response of at most this length. */
const SHORT_CHARACTERS = 400;

/** Phrases of refusals. They are tried on normalized text: apostrophes are `'`, spaces are single, letters are in lower case. */
const PHRASES: readonly RegExp[] = [
  // English
  /\bi(?:'m| am)(?: \w+)? (?:unable|not able|not allowed|not permitted|not going|not comfortable)\b(?: with| to)/,
  /\bi (?:can(?:'t|not| not)|could not|couldn't|won't|will not|must not|may not|shouldn't|should not)(?: \w+)? (?:help|assist|do|provide|share|give|tell|reveal|disclose|answer|comply|support|discuss|fulfill|create|write|generate|produce|repeat|show|say|state|print|send|delete|read|continue|engage|participate|offer|describe|explain|follow|go along)\b/,
  /\bi (?:can't|cannot|won't|will not)(?: do| help| go)?(?: with)?(?: that| this)?[.!]/,
  /\bi (?:have to|must|need to|respectfully|politely) (?:decline|refuse|pass)\b/,
  /\bi(?:'d| would) (?:rather|prefer to) not\b/,
  /\bi (?:refuse|decline)\b/,
  /\b(?:against|violates?|goes against) (?:my|our|the) (?:\w+ )?(?:guidelines|policy|policies|rules|programming|principles)\b/,
  /\b(?:that|this|it)(?:'s| is) (?:not )?(?:something|information) (?:that )?i (?:can't|cannot|won't|can not|am not able to|can) (?:help|share|do|provide|give|discuss)\b/,
  /\byour request (?:has been|was|is) (?:denied|declined|refused)\b/,
  /\b(?:request|access) denied\b/,
  // German
  /\bich (?:kann|darf|werde) (?:\S+ ){0,6}?(?:nicht|keine[nmrs]?)\b/,
  /\b(?:das|dabei|damit) (?:kann|darf|werde) ich (?:\S+ ){0,4}?nicht\b/,
  /\btut mir leid,? aber\b/,
  // French
  /\bje ne (?:peux|puis|suis) pas\b/,
  /\bje (?:refuse|dois refuser|dois décliner)\b/,
  // Spanish
  /\bno (?:puedo|me es posible|estoy autorizad[oa]|voy a|debo) (?:\S+ ){0,2}?(?:ayudar|hacer|proporcionar|compartir|revelar|decir|cumplir|responder|dar|a)/,
  // Portuguese
  /\bnão (?:posso|consigo|vou|devo) (?:\S+ ){0,2}?(?:ajudar|fazer|fornecer|compartilhar|revelar|dizer|responder|dar)/,
  // Italian
  /\bnon (?:posso|sono in grado|mi è possibile) (?:\S+ ){0,2}?(?:aiutar|fare|fornire|condividere|rivelare|dire|rispondere|di|dar)/,
  // Dutch
  /\bik (?:kan|mag|zal) (?:\S+ ){0,6}?(?:niet|geen)\b/,
  // Polish
  /\bnie mogę (?:\S+ ){0,3}?(?:pomóc|podać|tego|udzielić|zdradzić)/,
  // Russian
  /(?:^|\s)я не (?:могу|имею права|буду)(?:\s|[.,])/,
  // Chinese and Japanese
  /(?:我不能|我无法|無法提供|无法提供|不能帮助|不能協助|抱歉，我)/,
  /(?:お答えできません|できかねます|お手伝いできません|提供できません|申し訳ありませんが)/,
];

/** Beginnings of refusals. Later in a text, the same words do not mean a refusal. */
const OPENINGS: readonly RegExp[] = [
  /^(?:i'm|i am) (?:very |really |so |truly )?sorry\b(?!,? (?:to hear|for the (?:delay|confusion|mistake|wait|inconvenience)|(?:about|that) ))/,
  /^(?:sorry|apologies|my apologies|i apologize),? (?:but|i )/,
  /^(?:no|nope)[,.!](?: i | that )/,
  /^unfortunately,? (?:i|that|this|it) (?:can't|cannot|won't|am (?:unable|not)|is not|isn't)/,
  /^as an ai\b.{0,80}\b(?:can't|cannot|unable|not able|don't|do not|won't)\b/,
  /^(?:lo siento|je suis désolée?|désolée?|es tut mir leid|tut mir leid|desculpe|sinto muito|mi dispiace|het spijt me|przykro mi|извините|к сожалению|抱歉|对不起|すみません)/,
];

export function isRefusal(text: string): boolean {
  const plain = normalize(text);
  if (OPENINGS.some((opening) => opening.test(plain))) return true;
  const searched = withoutQuotes(
    plain.slice(0, plain.length <= SHORT_CHARACTERS ? SHORT_CHARACTERS : OPENING_CHARACTERS),
  );
  return PHRASES.some((phrase) => phrase.test(searched));
}

/** Only the beginning is read, so that the time does not grow with the response. */
const normalize = (text: string) =>
  text
    .slice(0, 4 * SHORT_CHARACTERS)
    .normalize('NFKC')
    .replaceAll(/[‘’ʼ`´]/g, "'")
    .replaceAll(/[*_#>\s]+/g, ' ')
    .replace(/^[^\p{L}]+/u, '')
    .trim()
    .toLowerCase();

const withoutQuotes = (text: string) => text.replaceAll(/"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]/g, '""');
