// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.message.MessageTypes;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.test.harness.Happening;
import io.safebunny.test.harness.SentMessages;
import io.safebunny.test.harness.SentMessages.Sent;
import io.safebunny.test.trace.MessageTraceAssert;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on a saga and its publications since its scenario began: commands, undos and events, but not the library's own messages, such
 * as timeouts. A failure prints the saga, its history, what it has published, and what happened to each message.
 */
public final class SagaScenarioAssert extends AbstractAssert<SagaScenarioAssert, SagaScenario> {

    SagaScenarioAssert(SagaScenario actual) {
        super(actual, SagaScenarioAssert.class);
    }

    // ---- what the saga's node has published

    /** Exactly one message of the type. */
    public SagaScenarioAssert published(Class<?> type) {
        return published(type, 1);
    }

    /** This many messages of the type. */
    public SagaScenarioAssert published(Class<?> type, int times) {
        String name = MessageTypes.nameOf(type);
        long found =
                run().sent().stream().filter(sent -> sent.type().equals(name)).count();
        if (found != times) {
            fail("%s %s published, and not %s".formatted(found, name, times));
        }
        return this;
    }

    /** Exactly one message with a payload like this one: of its type, and with the same JSON. */
    public SagaScenarioAssert published(Object payload) {
        Sent expected = Sent.of(payload);
        long found = run().sent().stream().filter(expected::equals).count();
        if (found != 1) {
            fail("%s of %s published, and not 1".formatted(found, expected));
        }
        return this;
    }

    /** Exactly these messages, in this order, in the last step of the scenario. */
    public SagaScenarioAssert publishedLast(Object... payloads) {
        List<Sent> expected = Stream.of(payloads).map(Sent::of).toList();
        List<Sent> found = run().sentLast();
        if (!found.equals(expected)) {
            fail("%s expected to be published in the last step, and found %s".formatted(expected, found));
        }
        return this;
    }

    /** No message of the type. */
    public SagaScenarioAssert never(Class<?> type) {
        return published(type, 0);
    }

    // ---- the saga

    /** There is no saga with this id. */
    public SagaScenarioAssert notStarted() {
        if (run().view().isPresent()) {
            fail("no saga expected");
        }
        return this;
    }

    public SagaScenarioAssert status(SagaStatus expected) {
        return same("status", expected, SagaView::status);
    }

    /** The reason passed to {@code fail}. */
    public SagaScenarioAssert reason(String expected) {
        return same("reason", expected, view -> String.valueOf(view.reason()));
    }

    /** The state is like this one: it has the same JSON. */
    public SagaScenarioAssert state(Object expected) {
        return same("state", SentMessages.json(expected), view -> SentMessages.tree(view.state()));
    }

    /** A timeout is due after this duration. The library's own delays, such as before retries, do not count. */
    public SagaScenarioAssert timeout(String name, Duration in) {
        Instant due = view().timeouts().get(name);
        if (due == null) {
            throw failed("no timeout '%s'".formatted(name));
        }
        Duration until = run().until(due);
        if (until.compareTo(in) > 0 || until.compareTo(in.minus(run().waited())) < 0) {
            fail("timeout '%s' comes in %s, and not in %s".formatted(name, Happening.text(until), Happening.text(in)));
        }
        return this;
    }

    /** No timeout is set. */
    public SagaScenarioAssert noTimeouts() {
        return same("names of timeouts", Set.of(), view -> view.timeouts().keySet());
    }

    /** The steps have these names, in the order in which their commands were sent; forgotten ones are not included. */
    public SagaScenarioAssert steps(String... names) {
        return same("steps", List.of(names), view -> names(view.steps().stream()));
    }

    /** Exactly these steps are undone, in any order. */
    public SagaScenarioAssert undone(String... names) {
        return same(
                "undone steps",
                Set.of(names),
                view -> Set.copyOf(names(view.steps().stream().filter(step -> step.status() == StepStatus.UNDONE))));
    }

    /** The saga waits for a message of this type that was set aside. */
    public SagaScenarioAssert blockedOn(Class<?> type) {
        if (view().blockedOn().stream().map(BlockedOn::type).noneMatch(MessageTypes.nameOf(type)::equals)) {
            fail("not blocked on %s".formatted(MessageTypes.nameOf(type)));
        }
        return this;
    }

    // ---- messages to the saga

    /** This many messages of the type were completely handled; copies of a message count once. */
    public SagaScenarioAssert handled(Class<?> type, int times) {
        return traced(trace -> trace.handled(type, times));
    }

    /** Messages of the type had this many delayed retries in total. In-memory retries do not count. */
    public SagaScenarioAssert retried(Class<?> type, int times) {
        return traced(trace -> trace.retried(type, times));
    }

    /**
     * A message of the type was set aside, by the saga's node or a participant.
     *
     * @param reason as in the header {@code sb-poison-reason}, such as {@code retries-exhausted}
     */
    public SagaScenarioAssert setAside(Class<?> type, String reason) {
        return traced(trace -> trace.setAside(type, reason));
    }

    /** No message was set aside. */
    public SagaScenarioAssert nothingSetAside() {
        return traced(MessageTraceAssert::nothingSetAside);
    }

    // ----

    private SagaScenarioAssert traced(Function<MessageTraceAssert, MessageTraceAssert> assertion) {
        Object unused = assertion.apply(run().trace().assertThat());
        return this;
    }

    private static List<String> names(Stream<Step> steps) {
        return steps.map(Step::name).toList();
    }

    private <T> SagaScenarioAssert same(String what, T expected, Function<SagaView, T> read) {
        T found = read.apply(view());
        if (!found.equals(expected)) {
            fail("%s %s expected, and found %s".formatted(what, expected, found));
        }
        return this;
    }

    private SagaScenarioRun run() {
        isNotNull();
        return actual.run();
    }

    private SagaView view() {
        isNotNull();
        return actual.view();
    }

    private void fail(String what) {
        throw failed(what);
    }

    private AssertionError failed(String what) {
        return failure("%s", "%s%n%s".formatted(what, actual));
    }
}
