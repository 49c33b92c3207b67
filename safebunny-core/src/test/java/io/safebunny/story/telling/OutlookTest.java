// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static io.safebunny.story.telling.Told.why;
import static io.safebunny.story.telling.Told.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.saga.SagaView;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Command;
import io.safebunny.story.telling.CauseDesk.Again;
import io.safebunny.story.telling.CauseDesk.BuyAll;
import io.safebunny.story.telling.CauseDesk.Captured;
import io.safebunny.story.telling.CauseDesk.Fetched;
import io.safebunny.story.telling.CauseDesk.Note;
import io.safebunny.story.telling.CauseDesk.PlaceOrder;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Since when a saga goes on, and whether anything is known that brings it on: before a resume, and after it. */
class OutlookTest {

    private static final String ID = CauseDesk.ID;
    private static final String WAITS_FOR_NOTHING =
            "Collecting order-1 of orders has waited for nothing since 00:00:02Z, when somebody resumed it: nothing is known to be under way for it.";

    private final CauseDesk desk = new CauseDesk();

    /** Without a timeout. */
    private void stickCollecting() {
        desk.fails.put("Fetched", new PoisonMessageException("no such parcel"));
        desk.replies(new Fetched("1"));
        desk.startAll();
        desk.publish(new BuyAll("1"), ID);
    }

    private void skipPack() {
        desk.sagas().skip("Collecting", ID, "pack", "packed by hand");
        desk.pass(1);
    }

    private void resume(String saga) {
        desk.sagas().resume(saga, ID, "it can do without");
        desk.pass(1);
    }

    private void replay(String node) {
        desk.world.worksWhileAsking = true; // a replay asks the node of the saga
        var unused = desk.world
                .engine(node)
                .get(PoisonMessages.class)
                .replay(PoisonRequest.of(PoisonFilter.all(), "ops", "mended"));
        desk.pass(1);
    }

    private Story told() {
        return desk.together("orders", "billing");
    }

    private boolean isIdle() {
        SagaView saga = desk.sagas().find(ID).get(0);
        return saga.idleSince() != null;
    }

    // ---- before

    @Test
    void aResumeAfterWhichNothingIsKnownToComeSaysSo() {
        stickCollecting();
        assertThat(why(told(), "\"resume\"")).as("pack may be answered").endsWith("as if it had never come");

        skipPack();
        assertThat(why(told(), "\"resume\""))
                .endsWith(
                        "as if it had never come. Nothing is known that would bring it on then: it has no timeout, and no command of it may still be answered. Unless what it waits for comes by itself, all that remains is to fail it");
    }

    @Test
    void aReplayInVainDoesNotRecommendIt() {
        stickCollecting();
        replay("orders");
        assertThat(words(told())).contains("if that cannot be, resume the saga without it, or fail it.");

        skipPack();
        assertThat(words(told()))
                .contains("if that cannot be, fail the saga: resumed without it, the saga would wait for nothing.");
    }

    @Test
    void nobodyKnowsWhatComesOfACommandWhoseNodeHasNotTold() {
        stickCollecting();
        skipPack();

        assertThat(why(desk.story("orders", ID), "\"resume\"")).endsWith("as if it had never come");
    }

    /** It was set aside, too, because the saga was stuck: a replay of it may bring the saga on. */
    @Test
    void anAnswerThatWasNotTakenYetMayBringItOn() {
        desk.does.put("Pack", (payload, context) -> {
            var unused = desk.world.bunny("billing").publish(new Fetched("1"));
        });
        stickCollecting();

        assertThat(why(told(), "\"resume\"")).endsWith("as if it had never come");
    }

    @Test
    void aTimeoutBringsItOn() {
        desk.fails.put("Captured", new PoisonMessageException("no such order"));
        desk.replies(new Captured("1"));
        desk.place();

        assertThat(why(told(), "\"resume\""))
                .contains("Its timeout payment then runs at 00:15:00Z, unless it is cancelled before")
                .doesNotContain("Nothing is known");
    }

    // ---- after

    @Test
    void aSagaThatWaitsForNothingSaysSoAndIsOfferedToFail() {
        stickCollecting();
        String on = Objects.requireNonNull(
                        desk.part("orders", ID).sagas().get(0).stuckOn())
                .messageId();
        skipPack();
        assertThat(words(told())).doesNotContain("waited for nothing");
        resume("Collecting");
        assertThat(isIdle()).isTrue();

        Story story = told();
        assertThat(story.sentences().get(0)).isEqualTo(WAITS_FOR_NOTHING);
        assertThat(story.sentences())
                .contains(
                        "It has no timeout, and no command of it may still be answered: it goes on only if what it takes comes by itself, or if a replay of `Fetched` (%s) helps. Otherwise fail it."
                                .formatted(on));
        assertThat(why(story, "\"fail\"")).startsWith("only if it is to end as failed, ");
        assertThat(why(story, "\"replay\"")).contains("handles `Fetched` (%s) again".formatted(on));

        desk.sagas().fail("Collecting", ID, "given up");
        desk.pass(1);
        assertThat(words(told())).doesNotContain("waited for nothing", "no command of it may still be answered");
    }

    @Test
    void oneWhoseOtherCommandMayBeAnsweredWaitsForThat() {
        stickCollecting();
        resume("Collecting");
        assertThat(isIdle()).isFalse();

        Story story = told();
        assertThat(story.sentences().get(0))
                .isEqualTo(
                        "Collecting order-1 of orders has been active again since 00:00:01Z, when somebody resumed it.");
        assertThat(story.next()).extracting(Command::curl).noneMatch(curl -> curl.contains("\"fail\""));
    }

    @Test
    void whatIsTriedAgainMayBringItOn() {
        stickCollecting();
        skipPack();
        resume("Collecting");
        desk.refused.add("Again");
        desk.publish(new Again("1"), ID);

        assertThat(words(told()))
                .contains("orders has failed to handle `Again` (")
                .doesNotContain("waited for nothing");
    }

    // ---- since when

    @Test
    void itGoesOnAgainSinceItTookWhatItWasStuckOn() {
        desk.fails.put("Note", new PoisonMessageException("no such order"));
        desk.startAll();
        desk.publish(new PlaceOrder("1"), ID);
        desk.publish(new Note("1"), ID);
        desk.pass(10);
        desk.fails.clear();
        replay("orders");

        assertThat(told().sentences().get(0))
                .isEqualTo(
                        "Buying order-1 of orders has been active again since 00:00:12Z, when it took what it had been stuck on.");
    }

    @Test
    void itGoesOnAgainSinceSomebodyRetriedIt() {
        desk.throwing("Capture", new PoisonMessageException("no such card"));
        desk.place();
        desk.pass(10);
        desk.does.remove("Capture");
        desk.sagas().retry("Buying", ID, "it has a card");
        desk.pass(1);

        assertThat(told().sentences().get(0))
                .isEqualTo("Buying order-1 of orders has been active again since 00:00:11Z, when somebody retried it.");
    }

    // ---- what a retry has left

    @Test
    void theCopyThatARetryHasLeftIsNamedOnceAndDiscarded() {
        desk.throwing("Capture", new PoisonMessageException("no such card"));
        desk.throwing("Pack", new PoisonMessageException("no such parcel"));
        desk.startAll();
        desk.publish(new BuyAll("1"), ID);
        assertThat(words(told())).doesNotContain("may still lie");
        desk.does.clear();
        desk.sagas().retry("Collecting", ID, "mended");
        desk.pass(1);

        Story story = told();
        assertThat(story.sentences())
                .contains(
                        "What billing had set aside of it before it was sent again and handled (`Capture` and `Pack`) may still lie in its poison queue: discard it if nobody has.");
        assertThat(
                        why(
                                story,
                                "'{\"action\":\"discard\",\"dryRun\":\"true\",\"reason\":\"REASON\",\"correlation\":\"order-1\",\"verdict\":\"DONE\"}' \"${ACTUATOR"))
                .startsWith("left over, with your reason in the place of REASON: ")
                .endsWith(
                        "As written it moves nothing: it only answers what would happen. Then send it again without \"dryRun\". If it has ENDED with \"matched\" 0, there is none");
    }

    /** It takes the copy away. */
    @Test
    void aReplayLeavesNoCopy() {
        desk.throwing("Capture", new PoisonMessageException("no such card"));
        desk.place();
        desk.replies(new Captured("1"));
        replay("billing");

        assertThat(words(told())).contains("and billing has handled it.").doesNotContain("may still lie");
        assertThat(told().next()).extracting(Command::curl).noneMatch(curl -> curl.contains("\"discard\""));
    }

    // ---- alarms

    @Test
    void anAlarmThatDidNotRunIsNotToldAsTheEndOfATimeout() {
        desk.replies(new Captured("1"));
        desk.place();
        desk.pass(1_000);
        String asked = desk.part("orders", ID).messages().stream()
                .filter(message -> message.type().equals("PlaceOrder"))
                .findFirst()
                .orElseThrow()
                .id();

        assertThat(words(desk.story("orders", asked)))
                .contains("It has published the alarm of a timeout that did not run (")
                .doesNotContain("end of a timeout");
    }

    @Test
    void anAlarmHasOneNameInTheTimeline() {
        desk.fails.put("payment", new IllegalStateException("down"));
        desk.place();
        desk.pass(900);
        desk.fails.clear();
        assertThat(timeline()).anyMatch(what -> what.matches("the end of a timeout \\(.*\\) failed after .*"));
        var unused = desk.world
                .bunny("billing")
                .publish(new Captured("1"), PublishOptions.none().withCorrelationId(ID));
        desk.pass(100);

        assertThat(timeline())
                .anyMatch(what -> what.matches("the alarm of a timeout that did not run \\(.*\\) failed after .*"))
                .noneMatch(what -> what.contains("end of a timeout"));
    }

    private List<String> timeline() {
        return desk.story("orders", ID).timeline().stream()
                .map(Story.Event::what)
                .toList();
    }
}
