import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";
import { t } from "../catalogue/texts.ts";
import { Button } from "../ui/button.tsx";

const Search = lazyRouteComponent(() => import("../search/search.tsx"), "Search");

/** Opens the search, also by Ctrl-K or Cmd-K. Its code loads when it is opened first. */
export function SearchButton() {
  const [isOpen, setOpen] = useState<boolean>();
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        {t.search.open} <kbd className="soft small wide">{t.search.keys}</kbd>
      </Button>
      {isOpen === undefined ? null : (
        <Suspense fallback={null}>
          <Search isOpen={isOpen} onOpenChange={setOpen} />
        </Suspense>
      )}
    </>
  );
}
