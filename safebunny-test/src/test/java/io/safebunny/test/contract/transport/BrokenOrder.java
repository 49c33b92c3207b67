// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.message.Headers;
import io.safebunny.message.OrderKey;
import io.safebunny.message.WireMessage;
import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Faults against {@link OrderRules} and {@link OrderTakeoverRules}. */
final class BrokenOrder extends TransportFaults {

    private static final Duration HOUR = Duration.ofHours(1);

    BrokenOrder() {
        keys();
        marks();
        passing();
        settlements();
        takeovers();
    }

    private void keys() {
        fault(
                "acknowledges a delivery on its own",
                "handlesTheMessagesOfAKeyOneAfterTheOtherAndThoseOfOthersBeside",
                transport -> handlingInOrder(transport, (real, handler) -> delivery -> {
                    handler.handle(delivery);
                    if (Inbox.id(delivery).equals("m2")) {
                        delivery.acknowledge();
                    }
                }));
        fault(
                "goes on when a delivery is settled, though its handler is still running",
                "waitsUntilTheHandlerOfTheOneBeforeHasReturned",
                transport -> handlingInOrder(transport, (real, handler) -> delivery -> {
                    CompletableFuture<Void> over = new CompletableFuture<>();
                    Delivery telling =
                            transport.sabotaged(Delivery.class, delivery, each -> each.on(Delivery::acknowledge)
                                    .instead(sound -> {
                                        sound.acknowledge();
                                        over.complete(null);
                                    }));
                    new Thread(() -> {
                                handler.handle(telling);
                                over.complete(null);
                            })
                            .start();
                    over.join();
                }));
        fault("takes one less than prefetch", "goesOnWithOtherKeysWhileOneTakesAllPlacesButOne", transport -> transport
                .on(Transport::consumeOrdered)
                .instead((real, queue, prefetch, pace, handler) ->
                        real.consumeOrdered(queue, Math.max(1, prefetch - 1), pace, handler)));
        fault(
                "gives each message without a key one of its own",
                "ordersWhatHasNoOrderKeyByItsCorrelationId",
                altering(BrokenOrder::hasNoKey, BrokenOrder::withKeyOfItsOwn));
        fault(
                "drops what has no readable key",
                "handlesWhatHasNoReadableKeyBesideAllOthers",
                transport -> handlingInOrder(transport, (real, handler) -> delivery -> {
                    if (Inbox.id(delivery).startsWith("unreadable")
                            && OrderKey.of(delivery.message().message()) == null) {
                        delivery.acknowledge();
                    } else {
                        handler.handle(delivery);
                    }
                }));
        fault(
                "lets all wait that have no readable key",
                "handlesWhatHasNoReadableKeyBesideAllOthers",
                altering(isOne("unreadable-4"), message -> with(message, Headers.MARK, "token")));
        fault(
                "lets a mark wait that has a key",
                "handlesWhatHasNoReadableKeyBesideAllOthers",
                altering(isOne("k1"), message -> withKey(message, "")));
        fault("begins at full pace", "handlesOneAtATimeOfAllKeysWhenToldTo", transport -> transport
                .on(Transport::consumeOrdered)
                .instead((real, queue, prefetch, pace, handler) ->
                        real.consumeOrdered(queue, prefetch, pace == Pace.ONE_BY_ONE ? Pace.FULL : pace, handler)));
        fault(
                "consumes any queue in whatever order",
                "refusesToConsumeInOrderWhatSeveralConsumersGet",
                transport -> transport
                        .on(Transport::consumeOrdered)
                        .instead((real, queue, prefetch, pace, handler) -> queue.endsWith(".in")
                                ? real.consumeOrdered(queue, prefetch, pace, handler)
                                : real.consume(queue, prefetch, handler)));
    }

    private void marks() {
        fault(
                "lets a mark wait for nothing",
                "aMarkWaitsForAllBeforeItAndHoldsNobody",
                altering(isOne("mark-2"), BrokenOrder::withKeyOfItsOwn));
        fault(
                "lets what is behind a mark wait for it",
                "aMarkWaitsForAllBeforeItAndHoldsNobody",
                altering(isOne("z1"), message -> with(withKey(message, ""), Headers.MARK, "token")));
        fault(
                "lets a mark pass what is kept",
                "aMarkWaitsForWhatIsKept",
                altering(isOne("mark"), BrokenOrder::withKeyOfItsOwn));
    }

    private void passing() {
        fault(
                "lets no replay pass what is kept",
                "replaysAndUndosPassWhatIsKept",
                altering(isOne("a-replay"), message -> without(message, Headers.POISONED_AT)));
        fault(
                "lets no undo pass what is kept",
                "replaysAndUndosPassWhatIsKept",
                altering(isOne("a-undo"), message -> without(message, Headers.UNDOES)));
        fault(
                "lets pass what is behind a replay",
                "replaysAndUndosPassWhatIsKept",
                altering(isOne("a3-behind"), message -> with(message, Headers.POISONED_AT, 1L)));
        fault(
                "goes on with what is kept beside a replay",
                "whatIsKeptGoesOnWhenWhatHasPassedItHasEnded",
                altering(isOne("a-passing"), BrokenOrder::withKeyOfItsOwn));
        fault(
                "lets replays pass all",
                "replaysAndUndosWaitForWhatIsNotKept",
                altering(isOne("a-patient"), BrokenOrder::withKeyOfItsOwn));
        fault(
                "lets undos pass all",
                "replaysAndUndosWaitForWhatIsNotKept",
                altering(isOne("b-patient"), BrokenOrder::withKeyOfItsOwn));
    }

    private static Predicate<OutboundMessage> isOne(String id) {
        return message -> id.equals(message.message().messageId());
    }

    /** Of those that are to be ordered by their correlation id. */
    private static boolean hasNoKey(OutboundMessage message) {
        return String.valueOf(message.message().messageId()).startsWith("keyless");
    }

    private static WireMessage withKeyOfItsOwn(WireMessage message) {
        return withKey(message, String.valueOf(message.messageId()));
    }

    private static WireMessage withKey(WireMessage message, String key) {
        return with(message, Headers.ORDER_KEY, key);
    }

    private static WireMessage with(WireMessage message, String header, Object value) {
        Map<String, Object> headers = new HashMap<>(message.headers());
        headers.put(header, value);
        return message.withHeaders(headers);
    }

    private static WireMessage without(WireMessage message, String header) {
        Map<String, Object> headers = new HashMap<>(message.headers());
        headers.remove(header);
        return message.withHeaders(headers);
    }

    private void settlements() {
        fault(
                "delivers what was kept as if for the first time",
                "handlesAKeptMessageAgainAfterItsPauseAndBeforeThoseBehindIt",
                transport -> {
                    Set<String> kept = ConcurrentHashMap.newKeySet();
                    eachInOrder((real, delivery) -> {
                                delivery.on(Delivery::keep).instead((sound, pause) -> {
                                    kept.add(Inbox.id(sound));
                                    sound.keep(pause);
                                });
                                delivery.on(Delivery::message)
                                        .instead(sound -> kept.contains(Inbox.id(sound))
                                                ? asNew(sound.message())
                                                : sound.message());
                            })
                            .accept(transport);
                });
        fault(
                "drops what is kept for long",
                "aKeptMessageHoldsItsKeyAndNoOther",
                eachInOrder((transport, delivery) -> delivery.on(Delivery::keep).instead((real, pause) -> {
                    if (pause.compareTo(HOUR) < 0) {
                        real.keep(pause);
                    } else {
                        real.acknowledge();
                    }
                })));
        fault(
                "sends what is handed back to the end of the queue",
                "handlesWhatIsHandedBackBeforeThoseBehindIt",
                eachInOrder(
                        (transport, delivery) -> delivery.on(Delivery::handBack).instead(real -> {
                            sendAgain(transport, real.message());
                            real.acknowledge();
                        })));
        fault("keeps what is rejected", "goesOnBehindWhatIsRejected", eachInOrder((transport, delivery) -> delivery.on(
                        Delivery::reject)
                .instead(real -> real.keep(HOUR))));
    }

    private static IncomingMessage asNew(IncomingMessage message) {
        WireMessage same = message.message();
        return new IncomingMessage(message.origin(), false, message.deliveryCount(), same);
    }

    private void takeovers() {
        fault(
                "sends what a closed transport has left unsettled to the end of the queue",
                "theNextInstanceGoesOnInOrderWhenOneIsClosed",
                transport -> {
                    Queue<Delivery> deliveries = new ConcurrentLinkedQueue<>();
                    handlingInOrder(transport, (real, handler) -> delivery -> {
                        deliveries.add(delivery);
                        handler.handle(delivery);
                    });
                    transport.on(Transport::close).instead(real -> {
                        for (Delivery left : List.copyOf(deliveries)) {
                            if (left.isOpen()) {
                                sendAgain(real, left.message());
                                left.acknowledge();
                            }
                        }
                        real.close();
                    });
                });
        fault(
                "stops without waiting in order",
                "aStoppedInstanceEndsWhatIsRunningBeforeTheNextOneBegins",
                consumingInOrder((running, consumption) -> consumption
                        .on(Consumption::stop)
                        .instead(real -> {
                            CompletableFuture<Void> stopped = real.stop();
                            return stopped.isDone() ? stopped : done();
                        })));
        fault(
                "ignores a pause while one is running",
                "aPausedInstanceEndsWhatIsRunningBeforeTheNextOneBegins",
                ignoringPauses(running -> running == 1));
        fault(
                "ignores a pause while several are running",
                "goesOnInOrderAfterAPause",
                ignoringPauses(running -> running > 1));
        fault(
                "ignores a pause while nothing is running",
                "aPauseReturnsWhatIsKeptOrLeftUnsettledToItsPlace",
                ignoringPauses(running -> running == 0));
    }

    private static Consumer<Sabotage<Transport>> ignoringPauses(Predicate<Integer> ignored) {
        return consumingInOrder(
                (running, consumption) -> consumption.on(Consumption::pace).instead((real, pace) -> {
                    if (pace != Pace.PAUSED || !ignored.test(running.get())) {
                        real.pace(pace);
                    }
                }));
    }

    /** @param plan gets how many handlers are running */
    private static Consumer<Sabotage<Transport>> consumingInOrder(
            BiConsumer<AtomicInteger, Sabotage<Consumption>> plan) {
        return transport -> transport.on(Transport::consumeOrdered).instead((real, queue, prefetch, pace, handler) -> {
            AtomicInteger running = new AtomicInteger();
            Consumption sound = real.consumeOrdered(queue, prefetch, pace, delivery -> {
                running.incrementAndGet();
                try {
                    handler.handle(delivery);
                } finally {
                    running.decrementAndGet();
                }
            });
            return transport.sabotaged(Consumption.class, sound, consumption -> plan.accept(running, consumption));
        });
    }

    /** Passes other deliveries to the handler than it is given. */
    private static Consumer<Sabotage<Transport>> eachInOrder(BiConsumer<Transport, Sabotage<Delivery>> plan) {
        return transport -> handlingInOrder(
                transport,
                (real, handler) -> delivery ->
                        handler.handle(transport.sabotaged(Delivery.class, delivery, each -> plan.accept(real, each))));
    }

    /** Consumes in order with another handler. */
    private static void handlingInOrder(
            Sabotage<Transport> transport, BiFunction<Transport, DeliveryHandler, DeliveryHandler> change) {
        transport
                .on(Transport::consumeOrdered)
                .instead((real, queue, prefetch, pace, handler) ->
                        real.consumeOrdered(queue, prefetch, pace, change.apply(real, handler)));
    }
}
