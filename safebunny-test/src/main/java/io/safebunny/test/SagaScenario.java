// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.Bunny;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.document.SagaCopy;
import java.time.Clock;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;

/**
 * Runs one saga of a {@code @BunnySaga} class on the real engine, with broker and store in memory and in virtual time. Needs no application
 * context, and need not be closed.
 *
 * <pre>{@code
 * SagaScenario scenario = SagaScenario.of(new OrderSaga()).when("storefront", new PlaceOrder("7", 1999));
 * assertThat(scenario).published(new ReserveStock("7")).state(new OrderSaga.State("7", 1999));
 * scenario.advance(Duration.ofMinutes(15));
 * assertThat(scenario).status(SagaStatus.FAILED).undone("stock");
 * }</pre>
 *
 * <p>Each step ends when only the saga's future work is left, such as timeouts; waits before retries pass at once. The scenario plays the
 * saga's participants: they acknowledge each undo, but send no answers to commands other than those that the test sends with {@link #when}.
 * Handlers are retried according to the defaults of {@code safebunny.retry} and {@code safebunny.delayed-retry}; payloads and state become
 * JSON by Jackson's defaults. For one thread.
 */
public final class SagaScenario implements AssertProvider<SagaScenarioAssert> {

    private final BiFunction<? super Bunny, ? super Clock, ?> saga;
    private String node = "saga";
    private @Nullable String id;
    private @Nullable String stored;
    private @Nullable SagaScenarioRun run;

    private SagaScenario(BiFunction<? super Bunny, ? super Clock, ?> saga) {
        this.saga = saga;
    }

    /** @param saga object of a class with {@code @BunnySaga} */
    public static SagaScenario of(Object saga) {
        return new SagaScenario((bunny, clock) -> saga);
    }

    /** @param saga makes the saga object from the {@link Bunny} of its node; called once */
    public static SagaScenario of(Function<? super Bunny, ?> saga) {
        return new SagaScenario((bunny, clock) -> saga.apply(bunny));
    }

    /** @param saga makes the saga object from the {@link Bunny} of its node and a clock in virtual time; called once */
    public static SagaScenario of(BiFunction<? super Bunny, ? super Clock, ?> saga) {
        return new SagaScenario(saga);
    }

    /**
     * Sets the name of the saga's node, which matters if it listens to itself. Call before the first step. Default: {@code saga}.
     *
     * @throws MisuseException SB-5001 after the first step
     */
    public SagaScenario inNode(String name) {
        requireNoStep();
        node = Names.requireNode(name, "SagaScenario.inNode");
        return this;
    }

    /**
     * Sets the saga's id. Call before the first step. Default: the id that {@code @CorrelatedBy} reads from the first message, or {@code
     * scenario} if the message's handler has no {@code @CorrelatedBy}.
     *
     * @throws MisuseException SB-5001 after the first step, or if this cannot be a correlation id
     */
    public SagaScenario withId(String sagaId) {
        requireNoStep();
        if (!Names.isCorrelationId(sagaId)) {
            throw misuse("Invalid id of a saga [%s]: it must match [A-Za-z0-9._:-]{1,64}."
                    .formatted(Names.printable(sagaId)));
        }
        id = sagaId;
        return this;
    }

    /**
     * Begins with a saga that exists already, such as one from production, instead of with none. Time begins when it was last changed; its
     * timeouts come when they are due, or with the first step if they are over. Call before the first step, with {@link #inNode} and {@link
     * #withId} as they were.
     *
     * @param json the saga as it is stored; its state is that of the saga's class
     * @throws MisuseException SB-5001 after the first step, or if this is no stored saga
     */
    public SagaScenario stored(String json) {
        requireNoStep();
        Object unused = SagaCopy.changedAt(json); // refuses what is no JSON before the first step
        stored = json;
        return this;
    }

    private void requireNoStep() {
        if (run != null) {
            throw misuse("The scenario has begun: call inNode, withId and stored before its first step.");
        }
    }

    /**
     * Sends the saga a message from another node.
     *
     * @param from the node's name
     * @throws MisuseException SB-5001 when the saga does not take this type from that node, or {@code @CorrelatedBy} reads the id of another
     *     saga
     * @throws AssertionError when the step does not end; the message says what is still running
     */
    public SagaScenario when(String from, Object payload) {
        run().publish(Names.requireNode(from, "SagaScenario.when"), payload);
        return this;
    }

    /**
     * Sends the saga a message from another node whose body is as it was on the wire, even if the saga cannot read it.
     *
     * @param from the node's name
     * @param type name of the message type
     * @param json the body; it is not checked
     * @throws MisuseException SB-5001 as {@link #when}
     * @throws AssertionError as {@link #when}
     */
    public SagaScenario whenDelivered(String from, String type, String json) {
        return whenDelivered(from, type, 1, json);
    }

    /**
     * Like {@link #whenDelivered(String, String, String)}, with a body of this {@linkplain io.safebunny.BunnyMessage#version() version}.
     *
     * @param version from 1; not checked
     */
    public SagaScenario whenDelivered(String from, String type, int version, String json) {
        run().deliver(Names.requireNode(from, "SagaScenario.whenDelivered"), type, version, json);
        return this;
    }

    /**
     * Delivers the latest message of {@link #when} or {@link #whenDelivered} once more, as any broker may do.
     *
     * @throws MisuseException SB-5001 when there is none
     */
    public SagaScenario repeat() {
        run().repeat();
        return this;
    }

    /**
     * Lets time pass, and everything happen that is due by then.
     *
     * @throws MisuseException SB-5001 when the duration is negative
     */
    public SagaScenario advance(Duration duration) {
        BunnyHarness.requireForward(duration);
        run().advance(duration);
        return this;
    }

    /**
     * From now on, makes the saga's participants set aside messages of this type, a command or an undo, as they do after their last retry.
     */
    public SagaScenario participantsSetAside(Class<?> type) {
        run().participants().refuse(MessageTypes.nameOf(type));
        return this;
    }

    /** The saga as it is stored. Fails if there is none. */
    public SagaView view() {
        return run().view().orElseThrow(() -> new AssertionError("There is no such saga.%n%s".formatted(this)));
    }

    /** The saga's state. Fails if there is no saga, or its state cannot be read as this type. */
    public <S> S state(Class<S> type) {
        return run().state(view(), type);
    }

    @Override
    public SagaScenarioAssert assertThat() {
        return new SagaScenarioAssert(this);
    }

    SagaScenarioRun run() {
        SagaScenarioRun begun = run;
        if (begun == null) {
            begun = new SagaScenarioRun(node, id, stored, saga);
            run = begun;
        }
        return begun;
    }

    static MisuseException misuse(String message) {
        return new MisuseException(MisuseException.ARGUMENT, message);
    }

    /** The saga, its publications, and what happened to each message, for people to read. */
    @Override
    public String toString() {
        return run == null ? "a scenario that has not begun" : run.describe();
    }
}
