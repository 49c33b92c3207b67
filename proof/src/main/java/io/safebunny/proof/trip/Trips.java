// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.trip;

import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.proof.trip.TripSaga.DoneA;
import io.safebunny.proof.trip.TripSaga.DoneB;
import io.safebunny.proof.trip.TripSaga.StepA;
import io.safebunny.proof.trip.TripSaga.StepB;
import io.safebunny.proof.trip.TripSaga.UndoA;
import io.safebunny.proof.trip.TripSaga.UndoB;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** The participant of {@link TripSaga}, the saga itself as a node needs it, and the person who repairs it. Thread-safe. */
public final class Trips {

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final int PREFETCH = 2;
    private static final int MOST = 10;

    private final Node node;
    private final String desk;
    private final LedgerClient ledger;
    private final Timeline timeline;
    private final OpenEffects effects;

    /** @param desk the node that places the orders */
    public Trips(Node node, String desk, LedgerClient ledger, Timeline timeline, OpenEffects effects) {
        this.effects = effects;
        this.timeline = timeline;
        this.node = node;
        this.desk = desk;
        this.ledger = ledger;
    }

    public List<SagaDefinition> sagas() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton(TripSaga.NAME, new TripSaga());
        beans.addEmbeddedValueResolver(text -> text.replace("${desk}", desk).replace("${worker}", node.toString()));
        HandlerDefaults defaults = new HandlerDefaults(
                PREFETCH, new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0), RetryStrategy.of(1, PAUSE));
        return new SagaScanner(beans, defaults, null).sagas();
    }

    public List<HandlerDefinition> handlers() {
        return List.of(
                Node.handler(StepA.class, node.toString(), (payload, context) -> {
                    StepA step = (StepA) payload;
                    effect(context, step.order());
                    if (step.kind() == OrderKind.SAGA_SCHEDULES) {
                        String unused = node.scheduledMessages()
                                .schedule(
                                        new DoneA(step.order()),
                                        PublishOptions.none().withDelay(SOON));
                    } else {
                        var unused = node.bunny().publish(new DoneA(step.order()));
                    }
                }),
                Node.handler(
                        UndoA.class, node.toString(), (payload, context) -> effect(context, ((UndoA) payload).order())),
                Node.handler(StepB.class, node.toString(), (payload, context) -> stepB((StepB) payload, context)),
                Node.handler(
                        UndoB.class,
                        node.toString(),
                        (payload, context) -> effect(context, ((UndoB) payload).order())));
    }

    private void stepB(StepB step, MessageContext context) throws Exception {
        if (step.kind() == OrderKind.SAGA_BARRED) {
            throw new IllegalStateException("This order fails");
        }
        effect(context, step.order());
        if (step.kind() != OrderKind.SAGA_LATE) {
            var unused = node.bunny().publish(new DoneB(step.order()));
        }
    }

    private void effect(MessageContext context, String order) throws Exception {
        effects.run(() -> {
            context.once("effect", () -> ledger.write(Kind.CHARGED, order, context.type()));
            return null;
        });
    }

    /** Gives each stuck saga up once, until the thread is interrupted. */
    public void repair() {
        Set<String> repaired = new HashSet<>();
        try {
            while (true) {
                timeline.sleep(PAUSE);
                for (SagaView saga : stuck()) {
                    if (repaired.add(saga.id())) {
                        node.sagas().fail(saga.saga(), saga.id(), "given up");
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<SagaView> stuck() {
        try {
            return node.sagas().list(TripSaga.NAME, SagaStatus.STUCK, Duration.ZERO, MOST);
        } catch (RuntimeException e) {
            return List.of(); // the store is stopping
        }
    }
}
