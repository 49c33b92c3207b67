// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.Pace;
import io.safebunny.spi.transport.Transport;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** One fault each against {@link PaceRules}. */
final class BrokenPace {

    private BrokenPace() {}

    @Breaks("takesNothingWhilePausedAndEverythingAfterwards")
    static class TakesOnWhenItIsIdleAsItIsPaused extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new PaceBreaker(sound) {
                @Override
                void pace(Consumption consumption, Pace pace) {
                    if (pace != Pace.PAUSED || deliveries.stream().anyMatch(Delivery::isOpen)) {
                        consumption.pace(pace);
                    }
                }
            };
        }
    }

    @Breaks("takesOneAfterTheOtherWhenToldToAndManyAgainAfterwards")
    static class HurriesWhenToldToGoOneByOne extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new PaceBreaker(sound) {
                @Override
                void pace(Consumption consumption, Pace pace) {
                    consumption.pace(pace == Pace.ONE_BY_ONE ? Pace.FULL : pace);
                }
            };
        }
    }

    @Breaks("leavesWhatIsRunningAloneWhenPaused")
    static class HandsBackWhatIsRunning extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new PaceBreaker(sound) {
                @Override
                void pace(Consumption consumption, Pace pace) {
                    consumption.pace(pace);
                    if (pace == Pace.PAUSED) {
                        deliveries.forEach(Delivery::handBack);
                    }
                }
            };
        }
    }

    @Breaks("stopsWhilePausedAndStaysStopped")
    static class StartsAgainAfterAStop extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                    return new ForwardingConsumption(super.consume(queue, prefetch, handler)) {
                        private boolean stopped;

                        @Override
                        public void pace(Pace pace) {
                            super.pace(pace);
                            if (stopped) {
                                transport().consume(queue, prefetch, handler);
                            }
                        }

                        @Override
                        public CompletableFuture<Void> stop() {
                            stopped = true;
                            return super.stop();
                        }
                    };
                }

                private Transport transport() {
                    return sound;
                }
            };
        }
    }

    /** Takes up another pace than it is told. */
    private abstract static class PaceBreaker extends ForwardingTransport {
        final Queue<Delivery> deliveries = new ConcurrentLinkedQueue<>();

        PaceBreaker(Transport sound) {
            super(sound);
        }

        abstract void pace(Consumption consumption, Pace pace);

        @Override
        public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
            Consumption consumption = super.consume(queue, prefetch, delivery -> {
                deliveries.add(delivery);
                handler.handle(delivery);
            });
            return new ForwardingConsumption(consumption) {
                @Override
                public void pace(Pace pace) {
                    PaceBreaker.this.pace(sound, pace);
                }
            };
        }
    }
}
