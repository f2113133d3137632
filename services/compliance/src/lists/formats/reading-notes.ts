/** Told of something that could not be read and is no reason to refuse the list. */
export type Note = (text: string) => void;

/** Enough to see what is wrong; a list of another kind would fill thousands of lines. */
const notesMax = 100;

export function noteBook(): { readonly note: Note; readonly notes: () => readonly string[] } {
  const kept: string[] = [];
  let count = 0;
  return {
    note: (text) => {
      count += 1;
      if (kept.length < notesMax - 1) kept.push(text);
    },
    notes: () => (count > kept.length ? [...kept, `and ${count - kept.length} more`] : kept),
  };
}
