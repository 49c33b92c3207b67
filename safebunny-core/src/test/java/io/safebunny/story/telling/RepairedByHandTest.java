// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static io.safebunny.story.telling.Told.why;
import static io.safebunny.story.telling.Told.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.ThrottledException;
import io.safebunny.failure.MessageExpiredException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Moved;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Command;
import io.safebunny.story.exchange.HandMoves;
import io.safebunny.story.telling.CauseDesk.Captured;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What people have done to a saga and its messages is told as theirs, before and after its end, and what is left for them to do. */
@Tag("once")
class RepairedByHandTest {

    private static final String ID = CauseDesk.ID;
    private static final String EXPIRED = MessageExpiredException.class.getName();

    private final CauseDesk desk = new CauseDesk();

    @BeforeEach
    void theAnswerFails() {
        desk.fails.put("Captured", new PoisonMessageException("no such order"));
        desk.replies(new Captured("1"));
    }

    private void replay(String node) {
        desk.world.worksWhileAsking = true; // a replay asks the node of the saga
        var unused = desk.world
                .engine(node)
                .get(PoisonMessages.class)
                .replay(PoisonRequest.of(PoisonFilter.all(), "ops", "the order is there"));
        desk.pass(1);
    }

    private StuckOn stuckOn() {
        return Objects.requireNonNull(desk.part("orders", ID).sagas().get(0).stuckOn());
    }

    @Test
    void aReplayThatFailedAgainIsToldAndIsNotTheUsualRepairAnyMore() {
        desk.place();
        String on = "`Captured` (%s)".formatted(stuckOn().messageId());
        assertThat(words(desk.story("orders", ID))).doesNotContain("By hand");
        assertThat(replayOf(desk.story("orders", ID)))
                .startsWith("the usual repair, once the cause is mended, with your reason");
        desk.pass(9);
        replay("orders");

        Story story = desk.story("orders", ID);
        assertThat(words(story))
                .startsWith("Buying order-1 of orders has been stuck since 00:00:00Z on " + on)
                .contains(
                        "orders has failed to handle %s twice, the last time at 00:00:10Z.".formatted(on),
                        "By hand, somebody has replayed %s once, at 00:00:10Z by ops (\"the order is there\"), and it failed again, at 00:00:10Z. Replay it again only once the cause is mended; if that cannot be, resume the saga without it, or fail it."
                                .formatted(on))
                .doesNotContain("aside at");
        assertThat(replayOf(story))
                .startsWith(
                        "was replayed by hand once, and failed again at 00:00:10Z: only once the cause is mended, with your reason in the place of REASON: handles "
                                + on
                                + " again. As written it moves nothing: it only answers what would happen. If \"verdicts\" in the answer has RUN, send it again without \"dryRun\"");

        replay("orders");
        assertThat(words(desk.story("orders", ID)))
                .contains(
                        "By hand, somebody has replayed %s twice, at 00:00:10Z by ops (\"the order is there\") and at 00:00:11Z by ops (\"the order is there\"), and it failed again, at 00:00:11Z."
                                .formatted(on));
    }

    /** Records have whole milliseconds. */
    @Test
    void aReplayThatFailedAgainInTheMillisecondInWhichItBeganIsToldAsThat() {
        desk.place();
        desk.world.pass(Duration.ofNanos(731_600_000));
        replay("orders");

        assertThat(words(desk.story("orders", ID)))
                .contains(
                        ", and it failed again, at 00:00:01Z. Replay it again only once the cause is mended; if that cannot be, resume the saga without it, or fail it.")
                .doesNotContain("does not tell yet");
    }

    /** Also a second one, of whose end the record of the first failure does not tell. */
    @Test
    void aReplayUnderWayIsToldAsThat() {
        desk.place();
        NodeStory part = desk.part("orders", ID);
        String on = stuckOn().messageId();
        Moved replayed =
                new Moved(on, ID, Moved.Kind.REPLAYED, false, Instant.parse("2026-01-01T00:00:01Z"), null, "ops", null);

        assertThat(words(Telling.of(ID, desk.world.timeline.now(), List.of(part.withMoved(List.of(replayed))))))
                .contains("once, at 00:00:01Z by ops: its record does not tell yet what has come of that.");
    }

    @Test
    void whatWasReplayedInVainIsOfferedWithThatWhenItsSagaWasResumed() {
        desk.place();
        replay("orders");
        desk.sagas().resume("Buying", ID, "it can do without");
        desk.pass(1);

        assertThat(replayOf(desk.story("orders", ID)))
                .startsWith(
                        "was replayed by hand once, and failed again at 00:00:01Z: only once the cause is mended, with your reason");
    }

    private String replayOf(Story story) {
        return story.next().stream()
                .filter(command -> command.curl().contains("\"replay\""))
                .filter(command -> command.curl().contains("safebunnypoison/"))
                .map(Command::why)
                .findFirst()
                .orElseThrow();
    }

    private void moves(BiFunction<PoisonMessages, PoisonRequest, PoisonOperation> how) {
        PoisonOperation operation = how.apply(
                desk.world.engine("orders").get(PoisonMessages.class),
                PoisonRequest.of(PoisonFilter.all(), "ops", "by mistake"));
        desk.pass(1);
        assertThat(operation.progress().moved()).isOne();
    }

    private List<String> offered(String action) {
        return desk.story("orders", ID).next().stream()
                .filter(command -> command.curl().contains('"' + action + '"'))
                .filter(command ->
                        command.curl().contains("safebunnypoison/" + stuckOn().messageId()))
                .map(Command::why)
                .toList();
    }

    /** There is nothing to replay. */
    @Test
    void whatASagaIsStuckOnIsRestoredFirstIfItWasDiscarded() {
        desk.place();
        String on = "`Captured` (%s)".formatted(stuckOn().messageId());
        moves(PoisonMessages::discard);

        assertThat(words(desk.story("orders", ID)))
                .contains(
                        "The copy of %s was discarded at 00:00:01Z by ops (\"by mistake\"): unless restored since, it is in the archive until "
                                .formatted(on));
        assertThat(offered("replay")).isEmpty();
        assertThat(offered("restore"))
                .singleElement()
                .asString()
                .startsWith(
                        "the usual repair, once the cause is mended, with your reason in the place of REASON: moves %s from the archive back to the poison queue, from where it can be replayed. As written it moves nothing"
                                .formatted(on));

        desk.pass((int) Duration.ofDays(31).toSeconds());
        assertThat(offered("replay")).isEmpty();
        assertThat(offered("restore")).as("it is kept for 30 days").isEmpty();
    }

    @Test
    void whatWasRestoredIsReplayed() {
        desk.place();
        moves(PoisonMessages::discard);
        moves(PoisonMessages::restore);
        assertThat(offered("restore")).isEmpty();
        assertThat(offered("replay")).hasSize(1);
    }

    @Test
    void aReplayThatHelpedIsTold() {
        desk.place();
        String on = "`Captured` (%s)".formatted(stuckOn().messageId());
        desk.fails.remove("Captured");
        replay("orders");

        assertThat(words(desk.story("orders", ID)))
                .startsWith("Buying order-1 of orders completed")
                .contains(
                        "By hand, somebody has replayed %s once, at 00:00:01Z by ops (\"the order is there\"), and orders has handled it."
                                .formatted(on));
    }

    /** What a story tells by itself is none of those that it counts. */
    @Test
    void whatIsToldByItselfIsNotCountedAgain() {
        desk.fails.clear();
        desk.place();
        desk.pass(1);
        String asked = desk.part("orders", ID).messages().stream()
                .filter(message -> message.type().equals("PlaceOrder"))
                .findFirst()
                .orElseThrow()
                .id();

        assertThat(words(desk.story("orders", asked)))
                .contains(
                        "orders has handled `PlaceOrder` (%s)".formatted(asked),
                        "orders has handled one other message of it: `Captured`.");
        assertThat(words(desk.story("orders", ID)))
                .contains("orders has handled 2 messages of it: `Captured` and `PlaceOrder`.");
    }

    /** Its saga says that it has sent it again. */
    @Test
    void aRetryIsNotToldAsAReplayToo() {
        desk.throwing("Capture", new PoisonMessageException("no such card"));
        desk.place();
        desk.sagas().retry("Buying", ID, "it has a card");
        desk.pass(1);
        assertThat(words(desk.together("orders", "billing")))
                .startsWith("Buying order-1 of orders has waited for a repair since 00:00:00Z")
                .contains("retried it once, at 00:00:01Z (\"it has a card\"). What was sent again was set aside again.")
                .doesNotContain("replayed");
        assertThat(why(desk.together("orders", "billing"), "\"retry\""))
                .startsWith("was retried by hand, and set aside again: only once the cause is mended, ");

        replay("billing");
        assertThat(words(desk.together("orders", "billing")))
                .contains(
                        "By hand, somebody has replayed `Capture` (%s) once, at 00:00:02Z (ask billing who and why), and it failed again, at 00:00:02Z."
                                .formatted(desk.command()));
    }

    @Test
    void aResumeNamesTheTimeoutThatRunsThenAndIsNamedAsWhyItRan() {
        desk.place();
        assertThat(why(desk.story("orders", ID), "\"resume\""))
                .endsWith(
                        "goes on as if it had never come. Its timeout payment then runs at 00:15:00Z, unless it is cancelled before: if that fails the saga, its steps are undone, which cannot be taken back");
        desk.pass(1_000);
        assertThat(why(desk.story("orders", ID), "\"resume\""))
                .endsWith(
                        "goes on as if it had never come. Its timeout payment, due since 00:15:00Z, then runs at once: if that fails the saga, its steps are undone, which cannot be taken back");

        desk.sagas().by("ann").resume("Buying", ID, "they gave up");
        desk.pass(1);
        Story story = desk.story("orders", ID);
        assertThat(words(story))
                .contains(
                        "It failed when its timeout payment ran, at 00:16:41Z: somebody had resumed the saga at 00:16:41Z by ann (\"they gave up\"), and the timeout had been due since 00:15:00Z.",
                        "By hand, somebody has resumed it once, at 00:16:41Z by ann (\"they gave up\").");
        assertThat(story.timeline()).extracting(Story.Event::what).contains("Buying RESUME by ann: they gave up");
        assertThat(desk.together("billing", "orders").toString())
                .contains("resumed it once, at 00:16:41Z (ask orders who and why)")
                .doesNotContain("by ann");
    }

    /** Its last attempt was not the last after all, because a middleware has made something else of its failure. */
    @Test
    void whatComesBackByItselfWasNotReplayed() {
        SagaWorld world = new SagaWorld();
        world.consumeMiddlewares = List.of((context, next) -> {
            try {
                next.run();
            } catch (IllegalStateException e) {
                throw new ThrottledException(Duration.ofSeconds(20));
            }
        });
        int[] left = {2};
        HandlerInvoker busy = (payload, context) -> {
            if (left[0]-- > 0) {
                throw new IllegalStateException("too many requests");
            }
            throw new PoisonMessageException("no such order");
        };
        world.start("shop", List.of());
        world.start("billing", List.of(SagaWorld.handler("shop", Captured.class, busy)));
        var unused = world.bunny("shop")
                .publish(new Captured("1"), PublishOptions.none().withCorrelationId(ID));
        world.pass(Duration.ofMinutes(2));

        assertThat(words(Telling.of(
                        ID,
                        world.timeline.now(),
                        List.of(world.engine("billing").get(StoryTeller.class).own(ID)))))
                .contains("after 3 failed attempts, the last at ")
                .doesNotContain("By hand");
    }

    /** After the last attempt the record tells that the deadline had passed, too: both are of one delivery. */
    @Test
    void whatHasExpiredAfterItsLastAttemptWasNotReplayed() {
        assertThat(new HandMoves(List.of()).replayed(aside("io.shop.Busy", EXPIRED)))
                .isZero();
        assertThat(new HandMoves(List.of()).replayed(aside("io.shop.Busy", EXPIRED, "io.shop.Busy")))
                .isOne();
        assertThat(new HandMoves(List.of()).replayed(aside("io.shop.Busy", "io.shop.Busy")))
                .isOne();
        assertThat(new HandMoves(List.of()).replayed(aside("io.shop.Busy"))).isZero();
    }

    private static Message aside(String... exceptions) {
        Instant at = Instant.parse("2026-03-02T10:41:00Z");
        List<Failure> failures = Stream.of(exceptions)
                .map(exception -> new Failure(at, "host", 7, exception, null, null))
                .toList();
        return new Message("m-1", "c", "Capture", State.SET_ASIDE, 0, null, at, failures, List.of(), 0);
    }

    /** The end of the saga hides neither who ended it nor what lies about since. */
    @Test
    void whatIsLeftOverIsDiscardedAndNotReplayed() {
        desk.place();
        String on = stuckOn().messageId();
        desk.sagas().fail("Buying", ID, "given up");
        desk.pass(1);
        desk.sagas().retry("Buying", ID, "too late");
        desk.pass(20);

        Story story = desk.together("orders", "billing");
        assertThat(words(story))
                .startsWith("Buying order-1 of orders failed (\"given up\"), and has ended")
                .contains(
                        "By hand, somebody has made it fail once, at 00:00:01Z (\"given up\").",
                        "orders has set `Captured` (%s) aside at 00:00:00Z, after one failed attempt, at 00:00:00Z ("
                                .formatted(on),
                        "It is left over: its saga has ended, and takes no more messages. Discard it if nobody has: a replay does nothing.",
                        "`PlaceOrder`, a repair by hand, a repair by hand that was refused, ");
        assertThat(story.next()).extracting(Command::curl).noneMatch(curl -> curl.contains("\"replay\""));
        assertThat(why(story, "'{\"action\":\"discard\",\"dryRun\":\"true\",\"reason\":\"REASON\"}'"))
                .isEqualTo(
                        "left over, with your reason in the place of REASON: moves `Captured` (%s) to the archive. As written it moves nothing: it only answers what would happen. Then send it again without \"dryRun\""
                                .formatted(on));
    }

    @Test
    void aCommandThatWasSetAsideBeforeItsUndoCameIsDiscarded() {
        desk.throwing("Capture", new PoisonMessageException("no such card"));
        desk.place();
        desk.sagas().fail("Buying", ID, "given up");
        desk.pass(20);

        Story story = desk.together("orders", "billing");
        assertThat(words(story))
                .contains(
                        "billing does not handle `Capture` (%s) any more".formatted(desk.command()),
                        "`Capture` had been set aside there before: discard it if nobody has.");
        assertThat(why(story, "\"discard\"")).startsWith("left over, ");
    }
}
