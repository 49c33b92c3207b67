// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.Verdict;
import io.safebunny.story.NodeStory;
import io.safebunny.story.Story;
import io.safebunny.story.telling.CauseDesk.Captured;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A story does not ask for a discard that somebody has made, as long as the instance runs through which that was. */
class DiscardedByHandTest {

    private static final String ID = CauseDesk.ID;

    private final CauseDesk desk = new CauseDesk();

    @BeforeEach
    void isSetAside() {
        desk.throwing("Capture", new PoisonMessageException("no such card"));
        desk.place();
    }

    private void itsSagaFails() {
        desk.sagas().skip("Buying", ID, "pay", "paid in cash");
        desk.pass(1);
        desk.sagas().fail("Buying", ID, "given up");
        desk.pass(10);
    }

    private void does(BiFunction<PoisonMessages, PoisonRequest, PoisonOperation> what, String reason) {
        does(what, reason, 1);
    }

    private void does(BiFunction<PoisonMessages, PoisonRequest, PoisonOperation> what, String reason, int copies) {
        desk.world.worksWhileAsking = true;
        PoisonOperation operation = what.apply(
                desk.world.engine("billing").get(PoisonMessages.class),
                PoisonRequest.of(PoisonFilter.all(), "anna", reason));
        desk.pass(1);
        assertThat(operation.progress().moved()).isEqualTo(copies);
    }

    private Story told() {
        return desk.together("billing", "orders");
    }

    private static String words(Story story) {
        return String.join(" ", story.sentences());
    }

    private boolean isDiscardOffered() {
        return told().next().stream().anyMatch(command -> command.curl().contains("\"discard\""));
    }

    @Test
    void isToldWithTimeNameAndReason() {
        itsSagaFails();
        assertThat(words(told())).doesNotContain("was discarded");

        does(PoisonMessages::discard, "nobody needs it");

        assertThat(words(told()))
                .contains(
                        "The copy of `Capture` (%s) was discarded at 00:00:12Z by anna (\"nobody needs it\"): unless restored since, it is in the archive until 2026-01-31 00:00:12Z, and can be restored from there, but nobody wants it any more."
                                .formatted(desk.command()))
                .doesNotContain("if nobody has");
        assertThat(isDiscardOffered()).isFalse();
        assertThat(told().timeline())
                .extracting(Story.Event::what)
                .contains("the copy of message %s was discarded by anna".formatted(desk.command()));
    }

    /** Neither who nor why leaves the node. */
    @Test
    void isToldAtAnotherNodeWithItsTime() {
        itsSagaFails();
        does(PoisonMessages::discard, "nobody needs it");

        assertThat(words(desk.together("orders", "billing")))
                .contains(
                        "was discarded at 00:00:12Z (ask billing who and why): unless restored since, it is in the archive until 2026-01-31 00:00:12Z")
                .doesNotContain("anna", "nobody needs it");
    }

    @Test
    void isTakenBackByARestore() {
        itsSagaFails();
        does(PoisonMessages::discard, "nobody needs it");
        does(PoisonMessages::restore, "somebody does");

        assertThat(told().sentences())
                .contains(
                        "The copy of `Capture` (%s) was discarded at 00:00:12Z by anna (\"nobody needs it\") and restored at 00:00:13Z by anna (\"somebody does\")."
                                .formatted(desk.command()))
                .anyMatch(sentence -> sentence.contains("Discard it if nobody has"));
        assertThat(isDiscardOffered()).isTrue();
        assertThat(told().timeline())
                .extracting(Story.Event::what)
                .contains("the copy of message %s was restored by anna".formatted(desk.command()));
    }

    @Test
    void isToldWithAllThatWasDoneBefore() {
        does(PoisonMessages::replay, "try it");
        does(PoisonMessages::replay, "try it twice");
        does(PoisonMessages::discard, "nobody needs it");
        does(PoisonMessages::restore, "somebody does");
        does(PoisonMessages::discard, "after all");

        assertThat(told().sentences())
                .contains(
                        "By hand, somebody has replayed `Capture` (%s) twice, at 00:00:01Z by anna (\"try it\") and at 00:00:02Z by anna (\"try it twice\"), and it failed again, at 00:00:02Z."
                                .formatted(desk.command()),
                        "The copy of `Capture` (%s) was discarded at 00:00:03Z by anna (\"nobody needs it\"), restored at 00:00:04Z by anna (\"somebody does\") and discarded at 00:00:05Z by anna (\"after all\"): unless restored since, it is in the archive until 2026-01-31 00:00:05Z, and can be restored from there."
                                .formatted(desk.command()));
    }

    /** A sentence has its limit, and says so. */
    @Test
    void isToldWithTheLatestFiveMovesOfMany() {
        for (int i = 0; i < 3; i++) {
            does(PoisonMessages::discard, "no");
            does(PoisonMessages::restore, "yes");
        }

        assertThat(words(told()))
                .contains(
                        "The copy of `Capture` (%s) was moved 6 times, lately restored at 00:00:02Z by anna (\"yes\"), discarded at 00:00:03Z"
                                .formatted(desk.command()))
                .doesNotContain("00:00:01Z by anna");
    }

    /** There is a newer copy. */
    @Test
    void isToldAsThatOfAnEarlierCopyOnceItWasSetAsideAgain() {
        desk.pass(10);
        does(PoisonMessages::discard, "nobody needs it");
        assertThat(words(told()))
                .contains("The copy of `Capture` (%s) was discarded at 00:00:11Z".formatted(desk.command()));
        desk.sagas().retry("Buying", ID, "somebody does");
        desk.pass(1);

        assertThat(told().sentences())
                .contains(
                        "An older copy of `Capture` (%s) was discarded at 00:00:11Z by anna (\"nobody needs it\"); the newer one may still be in the poison queue."
                                .formatted(desk.command()))
                .noneMatch(sentence -> sentence.contains("archive"));
        assertThat(desk.world.poison("billing")).hasSize(1);
    }

    /** A retry leaves the first copy where it is. */
    @Test
    void isToldAsThatOfAnOlderCopyWhileTheNewerOneIsThere() {
        desk.sagas().retry("Buying", ID, "somebody does");
        desk.pass(1);
        PoisonFilter older = PoisonFilter.all().withVerdict(Verdict.SUPERSEDED);
        does((poison, all) -> poison.discard(PoisonRequest.of(older, all.by(), all.reason())), "there is another");

        assertThat(words(told()))
                .contains(
                        "An older copy of `Capture` (%s) was discarded at 00:00:02Z by anna (\"there is another\"); the newer one may still be in the poison queue."
                                .formatted(desk.command()))
                .doesNotContain("The copy of `Capture`", "archive");
        assertThat(told().timeline())
                .extracting(Story.Event::what)
                .contains("an older copy of message %s was discarded by anna".formatted(desk.command()));
        assertThat(words(desk.together("orders", "billing")))
                .contains("An older copy of `Capture`", "may still be in the poison queue");
        assertThat(desk.world.poison("billing")).hasSize(1);
    }

    /** Nobody looks into the archive for a story. */
    @Test
    void isNotSaidToBeInTheArchiveOnceItsTimeIsOver() {
        itsSagaFails();
        does(PoisonMessages::discard, "nobody needs it");
        Instant then = Instant.parse("2026-02-01T00:00:00Z");
        NodeStory part = desk.part("billing", ID);

        assertThat(String.join(" ", Telling.of(ID, then, List.of(part)).sentences()))
                .contains("was discarded at 2026-01-01 00:00:12Z")
                .contains(": the archive kept it until 2026-01-31 00:00:12Z, unless restored.");
    }

    /** A retry leaves the first copy where it is. */
    @Test
    void saysHowManyCopiesThereWere() {
        desk.sagas().retry("Buying", ID, "somebody does");
        desk.pass(1);
        does(PoisonMessages::discard, "nobody needs them", 2);

        assertThat(told().sentences())
                .contains(
                        "2 copies of `Capture` (%s) were discarded at 00:00:02Z by anna (\"nobody needs them\"): unless restored since, they are in the archive until 2026-01-31 00:00:02Z, and can be restored from there."
                                .formatted(desk.command()));
        does(PoisonMessages::restore, "somebody does", 2);
        assertThat(told().sentences())
                .contains(
                        "Copies of `Capture` (%s) were discarded (2) at 00:00:02Z by anna (\"nobody needs them\") and restored (2) at 00:00:03Z by anna (\"somebody does\")."
                                .formatted(desk.command()));
    }

    /** Its saga had sent it again, and it was handled then. */
    @Test
    void isToldOfWhatWasHandledMeanwhile() {
        desk.replies(new Captured("1"));
        desk.sagas().retry("Buying", ID, "it has a card");
        desk.pass(1);
        assertThat(words(told()))
                .contains(
                        "order-1 of orders completed", "may still lie in its poison queue: discard it if nobody has.");
        does(PoisonMessages::discard, "it was handled");

        assertThat(told().sentences())
                .contains(
                        "The copy of `Capture` (%s) was discarded at 00:00:02Z by anna (\"it was handled\"): unless restored since, it is in the archive until 2026-01-31 00:00:02Z, and the message has been handled."
                                .formatted(desk.command()))
                .noneMatch(sentence -> sentence.contains("if nobody has"));
        assertThat(words(desk.together("orders", "billing")))
                .contains(
                        "was discarded at 00:00:02Z (ask billing who and why): unless restored since, it is in the archive until 2026-01-31 00:00:02Z, and the message");
    }

    /** The undo has come before it was handled. */
    @Test
    void isToldOfWhatIsNotHandledAnyMore() {
        desk.sagas().fail("Buying", ID, "given up");
        desk.pass(10);
        does(PoisonMessages::discard, "nobody needs it");

        assertThat(told().sentences())
                .contains(
                        "`Capture` had been set aside there before.",
                        "The copy of `Capture` (%s) was discarded at 00:00:11Z by anna (\"nobody needs it\"): unless restored since, it is in the archive until 2026-01-31 00:00:11Z."
                                .formatted(desk.command()));
    }

    /** What a story says of a replay is what one does. */
    @Test
    void isAskedForOnceItsStepWasSkipped() {
        desk.sagas().skip("Buying", ID, "pay", "paid in cash");
        desk.pass(1);
        assertThat(words(told()))
                .contains("Discard it if nobody has: a replay is refused, and a forced one would do it");

        does(PoisonMessages::replay, "try it", 0);
        does(PoisonMessages::discard, "it was paid in cash");

        assertThat(words(told())).contains("and can be restored from there, but nobody wants it any more.");
    }

    /** Another instance has another memory. */
    @Test
    void isForgottenWithTheInstance() {
        itsSagaFails();
        does(PoisonMessages::discard, "nobody needs it");
        desk.world.stop("billing");
        desk.start("billing");

        assertThat(words(told())).doesNotContain("was discarded");
    }
}
