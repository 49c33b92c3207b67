// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Faults against {@link PaceRules}. */
final class BrokenPace extends TransportFaults {

    BrokenPace() {
        fault(
                "takes on when it is idle as it is paused",
                "takesNothingWhilePausedAndEverythingAfterwards",
                pacing((consumption, pace, deliveries) -> {
                    if (pace != Pace.PAUSED || deliveries.stream().anyMatch(Delivery::isOpen)) {
                        consumption.pace(pace);
                    }
                }));
        fault(
                "begins before it is told to",
                "takesNothingOfWhatIsThereWhenConsumedPausedAndEverythingAfterwards",
                transport -> transport.on(Transport::consumePaused).instead(Transport::consume));
        fault(
                "hurries when told to go one by one",
                "takesOneAfterTheOtherWhenToldToAndManyAgainAfterwards",
                pacing((consumption, pace, deliveries) ->
                        consumption.pace(pace == Pace.ONE_BY_ONE ? Pace.FULL : pace)));
        fault(
                "hands back what is running",
                "leavesWhatIsRunningAloneWhenPaused",
                pacing((consumption, pace, deliveries) -> {
                    consumption.pace(pace);
                    if (pace == Pace.PAUSED) {
                        deliveries.forEach(Delivery::handBack);
                    }
                }));
        fault("starts again after a stop", "stopsWhilePausedAndStaysStopped", transport -> transport
                .on(Transport::consume)
                .instead((sound, queue, prefetch, handler) ->
                        transport.sabotaged(Consumption.class, sound.consume(queue, prefetch, handler), consumption -> {
                            AtomicBoolean stopped = new AtomicBoolean();
                            consumption.on(Consumption::pace).instead((real, pace) -> {
                                real.pace(pace);
                                if (stopped.get()) {
                                    sound.consume(queue, prefetch, handler);
                                }
                            });
                            consumption.on(Consumption::stop).instead(real -> {
                                stopped.set(true);
                                return real.stop();
                            });
                        })));
    }

    private interface Pacing {
        void pace(Consumption consumption, Pace pace, Collection<Delivery> deliveries);
    }

    /** Takes up another pace than it is told. */
    private static Consumer<Sabotage<Transport>> pacing(Pacing fault) {
        return transport -> {
            Queue<Delivery> deliveries = new ConcurrentLinkedQueue<>();
            transport
                    .on(Transport::consume)
                    .instead((sound, queue, prefetch, handler) -> transport.sabotaged(
                            Consumption.class,
                            sound.consume(queue, prefetch, delivery -> {
                                deliveries.add(delivery);
                                handler.handle(delivery);
                            }),
                            consumption -> consumption
                                    .on(Consumption::pace)
                                    .instead((real, pace) -> fault.pace(real, pace, deliveries))));
        };
    }
}
