// The page: the table, the panel beside it, and the dialogs over it.

import { render } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";

import { firstSettings, useAddress } from "./address";
import { useBack } from "./back";
import { Bar } from "./bar";
import { Bidding } from "./bidding";
import { Dialog, type DialogName, type Question, QuestionDialog } from "./dialog";
import { useAppearance, useIsNarrow, usePresence, useServiceWorker } from "./effects";
import { Felt, Hand, type Scene } from "./felt";
import { Game } from "./game";
import { SETS } from "./link";
import type { Opened } from "./match";
import { Notice } from "./notice";
import { Statistics } from "./panels";
import { Prompt } from "./prompt";
import { Result } from "./result";
import { nameOfRules, RULES } from "./rulesets";
import { saved, type Settings } from "./saved";
import { SettingsDialog } from "./settings";
import "./style.css";
import { type Tab, Tabs } from "./tabs";
import { SitDownDialog, TogetherDialog } from "./together";
import { pageLanguage, Speech } from "./words";

function App() {
  const [settings, setSettings] = useState(firstSettings);
  const [, refresh] = useReducer((n: number) => n + 1, 0);
  const [told, tell] = useState("");
  const [question, ask] = useState<Question | null>(null);
  const [dialog, show] = useState<DialogName>("");
  const [invited, invite] = useState("");
  const [tab, setTab] = useState<Tab>("score");
  const isNarrow = useIsNarrow();
