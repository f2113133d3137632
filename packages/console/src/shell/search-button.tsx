import { lazy, Suspense, useEffect, useState } from "react";
import { t } from "../catalogue/texts.ts";
import { Button } from "../ui/button.tsx";

const Search = lazy(async () => ({ default: (await import("../search/search.tsx")).Search }));

/** Opens the search, also by Ctrl-K or Cmd-K. Its code loads when it is opened first. */
export function SearchButton() {
  const [isOpen, setOpen] = useState(false);
  const [isLoaded, setLoaded] = useState(false);
  const show = (open: boolean) => {
    setLoaded(true);
    setOpen(open);
  };
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setLoaded(true);
      setOpen(true);
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);
  return (
    <>
      <Button onClick={() => show(true)}>
        {t.search.open} <kbd className="soft small wide">{t.search.keys}</kbd>
      </Button>
      {isLoaded ? (
        <Suspense fallback={null}>
          <Search isOpen={isOpen} onOpenChange={show} />
        </Suspense>
      ) : null}
    </>
  );
}
