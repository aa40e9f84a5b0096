// The dialog that is open over the page.

import type { ComponentChildren } from "preact";

import { Dialog, type DialogName } from "../dialogs/dialog";
import { ExplainDialog } from "../dialogs/explain";
import { HouseRulesDialog } from "../dialogs/house-rules";
import { LearnDialog } from "../dialogs/learn";
import type { Question } from "../dialogs/question";
import { RulesDialog } from "../dialogs/rules";
import { SettingsDialog } from "../dialogs/settings";
import { SharedTableDialog } from "../dialogs/shared-table";
import { SitDownDialog } from "../dialogs/sit-down";
import { StatisticsDialog } from "../dialogs/statistics";
import type { Explanation } from "../language/rules-prose";
import type { Speech } from "../language/speech";
import type { Game } from "../match/game";
import type { KeptDeal } from "../match/kept-deals";
import type { LessonName } from "../match/lessons";
import type { MatchRequest } from "../match/match";
import type { Settings } from "../match/storage";
import type { Tab } from "../panels/tabs";
import type { Scene } from "../table/scene";

interface OpenDialogProps {
  name: DialogName;
  game: Game;
  /** `null` before the first table. */
  scene: Scene | null;
  speech: Speech;
  settings: Settings;
  /** Rules that the start screen offers. */
  doorRules: string;
  /** Rules of a new shared table. */
  sharedRules: string;
  /** Rules that the dialog of the rules shows first. */
  shownRules: string;
  /** The call to explain; `null` for all that there is to explain. */
  explainedCall: Explanation | null;
  /** The panel of a narrow window, `null` in a wide one. */
  panel: ComponentChildren;
  tab: Tab;
  openDialog(name: DialogName): void;
  openMatch(request: MatchRequest): void;
  startLesson(name: LessonName): void;
  /** Shows a kept deal again, from a step on. */
  showAgain(deal: KeptDeal, step?: number): void;
  ask(question: Question): void;
  /** `length` is the number of deals of a new shared table. */
  sitDown(length?: number): void;
  askToLeaveTable(): void;
  changeSettings(changes: Partial<Settings>): void;
  chooseLanguage(language: string): void;
  close(): void;
}

/** The dialog with this name; nothing if none is open, or if its table is not there. */
export function OpenDialog(props: OpenDialogProps) {
  const { name, game, scene, speech, settings, openMatch, close } = props;
  const { session, table } = game;
  switch (name) {
    case "panel":
      return props.panel ? (
        <Dialog title={speech.words[props.tab]} speech={speech} close={close}>
          {props.panel}
        </Dialog>
      ) : null;
    case "rules":
      return (
        <RulesDialog
          first={props.shownRules}
          known={session.rules}
          house={session.match?.house}
          speech={speech}
          close={close}
        />
      );
    case "explain":
      return scene ? (
        <ExplainDialog
          scene={scene}
          call={props.explainedCall}
          openRules={() => props.openDialog("rules")}
          close={close}
        />
      ) : null;
    case "statistics":
      return (
        <StatisticsDialog
          speech={speech}
          show={session.sharedSeat ? undefined : props.showAgain}
          ask={props.ask}
          close={close}
        />
      );
    case "house":
      return (
        <HouseRulesDialog
          rules={props.doorRules}
          speech={speech}
          openMatch={openMatch}
          close={close}
        />
      );
    case "learn":
      return <LearnDialog speech={speech} startLesson={props.startLesson} close={close} />;
    case "together":
    case "join":
      return <FriendsDialog {...props} />;
    case "settings":
      return (
        <SettingsDialog
          settings={settings}
          speech={speech}
          table={table}
          changeSettings={props.changeSettings}
          chooseLanguage={props.chooseLanguage}
          openMatch={openMatch}
          close={close}
        />
      );
    default:
      return null;
  }
}

/** The dialog of the shared table, or the one to sit down at a shared table. */
function FriendsDialog(props: OpenDialogProps) {
  const { name, scene, speech, settings, close } = props;
  const { sharedSeat } = props.game.session;
  if (name === "together" && sharedSeat) {
    return scene ? (
      <SharedTableDialog
        scene={scene}
        secret={sharedSeat.table}
        leave={props.askToLeaveTable}
        close={close}
      />
    ) : null;
  }
  return (
    <SitDownDialog
      rules={name === "join" ? null : props.sharedRules}
      settings={settings}
      speech={speech}
      changeSettings={props.changeSettings}
      sitDown={props.sitDown}
      close={close}
    />
  );
}
