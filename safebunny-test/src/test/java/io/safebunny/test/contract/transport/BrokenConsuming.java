// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.BrowsingException;
import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Faults against {@link SettlementRules} and {@link FlowRules}. */
final class BrokenConsuming extends TransportFaults {

    private static final String WAITS = "waitsForWhatIsRunningWhenStoppedAndTakesNothingNew";

    BrokenConsuming() {
        settlements();
        flow();
        stops();
    }

    private void settlements() {
        fault("keeps what was looked at", "putsBackWhatWasOnlyLookedAt", browsing(queue -> queue.on(BrowsedQueue::close)
                .instead(real -> {})));
        fault(
                "counts what is looked at as waiting",
                "tellsHowManyWaitBehindTheOneThatIsLookedAt",
                browsing(queue -> queue.on(BrowsedQueue::waiting).instead(real -> real.waiting() + 1)));
        fault(
                "puts back what was acknowledged while it was looked at",
                "removesWhatWasAcknowledgedWhileLookedAt",
                transport -> transport
                        .on(Transport::browse)
                        .instead((real, queue) ->
                                new Forgetful(real.browse(queue), transport, BrokenConsuming::puttingBack)));
        fault(
                "swallows that what was looked at was not removed",
                "tellsWhoeverLooksThatACopyWasPerhapsNotRemoved",
                transport -> transport
                        .on(Transport::browse)
                        .instead((real, queue) ->
                                new Forgetful(real.browse(queue), transport, BrokenConsuming::quietly)));
        faultIn("forgets acknowledgements on close", "neverDeliversAnAcknowledgedMessageAgain", test -> transport -> {
            Queue<IncomingMessage> acknowledged = new ConcurrentLinkedQueue<>();
            eachDelivery((to, delivery) -> delivery.on(Delivery::acknowledge).instead(real -> {
                        if (real.isOpen()) {
                            acknowledged.add(real.message());
                        }
                        real.acknowledge();
                    }))
                    .accept(transport);
            transport.on(Transport::close).instead(real -> {
                real.close();
                Transport other = test.soundTransport();
                acknowledged.forEach(message -> sendAgain(other, message));
                acknowledged.clear();
            });
        });
        fault("acknowledges on its own on close", "deliversAgainWhatAClosedTransportLeftUnsettled", transport -> {
            Queue<Delivery> deliveries = new ConcurrentLinkedQueue<>();
            handling(transport, (real, handler) -> delivery -> {
                deliveries.add(delivery);
                handler.handle(delivery);
            });
            transport.on(Transport::close).instead(real -> {
                deliveries.forEach(Delivery::acknowledge);
                real.close();
            });
        });
        fault(
                "sends handed back messages as new ones",
                "deliversAgainWhatWasHandedBack",
                eachDelivery((transport, delivery) -> {
                    AtomicBoolean handedBack = new AtomicBoolean();
                    delivery.on(Delivery::handBack).instead(real -> {
                        if (real.isOpen() && !handedBack.getAndSet(true)) {
                            sendAgain(transport, real.message());
                            real.acknowledge();
                        }
                    });
                }));
        fault(
                "hands back what is acknowledged",
                "ignoresWhatFollowsAnAcknowledgement",
                eachDelivery((transport, delivery) -> {
                    AtomicBoolean acknowledged = new AtomicBoolean();
                    delivery.on(Delivery::acknowledge).instead(real -> {
                        acknowledged.set(true);
                        real.acknowledge();
                    });
                    delivery.on(Delivery::handBack).instead(real -> {
                        if (acknowledged.get()) {
                            sendAgain(transport, real.message());
                        }
                        real.handBack();
                    });
                }));
        fault(
                "lets the last settlement win",
                "ignoresWhatFollowsAHandBack",
                transport -> handling(transport, (real, handler) -> delivery -> {
                    AtomicBoolean back = new AtomicBoolean();
                    handler.handle(transport.sabotaged(Delivery.class, delivery, each -> each.on(Delivery::handBack)
                            .instead(sound -> back.set(true))));
                    if (back.get()) {
                        delivery.handBack();
                    }
                }));
        fault(
                "acknowledges what is rejected",
                "movesWhatIsRejectedToTheDeadLettersAndFromThereToThePoisonQueue",
                eachDelivery(
                        (transport, delivery) -> delivery.on(Delivery::reject).instead(Delivery::acknowledge)));
    }

    private void flow() {
        fault("counts no consumers", "tellsHowManyConsumersAQueueHas", Transport::consumers)
                .instead((real, queue) -> OptionalInt.of(0));
        fault("takes one more than prefetch", "handlesUpToPrefetchDeliveriesAtOnceAndNotMore", Transport::consume)
                .instead((real, queue, prefetch, handler) ->
                        real.consume(queue, prefetch == 1 ? 1 : prefetch + 1, handler));
        fault(
                "acknowledges in order",
                "doesNotLetOneBlockedHandlerHoldTheOtherPlaces",
                transport -> handling(transport, (real, handler) -> {
                    FirstOneFirst order = new FirstOneFirst();
                    return delivery -> handler.handle(order.of(delivery, transport));
                }));
    }

    /** Holds acknowledgements until the first delivery is settled. */
    private static final class FirstOneFirst {
        private final List<Delivery> held = new ArrayList<>();
        private @Nullable Delivery first;

        synchronized Delivery of(Delivery delivery, Sabotage<Transport> transport) {
            if (first == null) {
                first = delivery;
            }
            return transport.sabotaged(Delivery.class, delivery, each -> each.on(Delivery::acknowledge)
                    .instead(this::settle));
        }

        private synchronized void settle(Delivery delivery) {
            held.add(delivery);
            if (delivery == first || first == null || !first.isOpen()) {
                held.forEach(Delivery::acknowledge);
                held.clear();
            }
        }
    }

    private void stops() {
        fault("stops without waiting", WAITS, stopping((begun, first, second, real) -> {
            CompletableFuture<Void> ignored = real.stop();
            return ignored.isDone() ? ignored : done();
        }));
        fault(
                "takes new ones while stopping",
                WAITS,
                stopping((begun, first, second, real) ->
                        begun.get() == 1 ? second.thenCompose(done -> real.stop()) : real.stop()));
        fault(
                "waits for a first delivery to stop",
                "stopsAtOnceWhenNothingIsRunning",
                stopping((begun, first, second, real) -> first.thenCombine(real.stop(), (handled, stopped) -> null)));
    }

    private interface Stopping {
        /**
         * @param begun how many deliveries were taken
         * @param first when one was handled
         * @param second when the one taken second was
         */
        CompletableFuture<Void> stop(
                AtomicInteger begun, CompletableFuture<Void> first, CompletableFuture<Void> second, Consumption real);
    }

    private static void puttingBack(Delivery real) {
        if (real.isOpen()) {
            real.handBack();
        } else {
            real.acknowledge();
        }
    }

    private static void quietly(Delivery real) {
        try {
            real.acknowledge();
        } catch (BrowsingException e) {
            assertThat(e).isNotNull(); // and nobody hears of it
        }
    }

    /** @param acknowledge what becomes of what is acknowledged */
    private record Forgetful(BrowsedQueue real, Sabotage<Transport> transport, Consumer<Delivery> acknowledge)
            implements BrowsedQueue {

        @Override
        public long waiting() {
            return real.waiting();
        }

        @Override
        public @Nullable Delivery next() {
            Delivery next = real.next();
            return next == null
                    ? null
                    : transport.sabotaged(Delivery.class, next, delivery -> delivery.on(Delivery::acknowledge)
                            .instead(acknowledge::accept));
        }

        @Override
        public void close() {
            real.close();
        }
    }

    private static Consumer<Sabotage<Transport>> browsing(Consumer<Sabotage<BrowsedQueue>> fault) {
        return transport -> transport
                .on(Transport::browse)
                .instead((real, queue) -> transport.sabotaged(BrowsedQueue.class, real.browse(queue), fault));
    }

    private static Consumer<Sabotage<Transport>> stopping(Stopping fault) {
        return transport -> transport.on(Transport::consume).instead((sound, queue, prefetch, handler) -> {
            AtomicInteger begun = new AtomicInteger();
            CompletableFuture<Void> first = new CompletableFuture<>();
            CompletableFuture<Void> second = new CompletableFuture<>();
            Consumption consumption = sound.consume(queue, prefetch, delivery -> {
                int number = begun.incrementAndGet();
                handler.handle(delivery);
                first.complete(null);
                if (number == 2) {
                    second.complete(null);
                }
            });
            return transport.sabotaged(Consumption.class, consumption, each -> each.on(Consumption::stop)
                    .instead(real -> fault.stop(begun, first, second, real)));
        });
    }
}
