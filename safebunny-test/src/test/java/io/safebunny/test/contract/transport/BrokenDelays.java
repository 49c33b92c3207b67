// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Faults against {@link DelayRules}. */
final class BrokenDelays extends TransportFaults {

    BrokenDelays() {
        fault("delivers early", "neverDeliversEarly", altering(message -> {
            long millis = message.delay().toMillis();
            return millis < 100 ? message : withDelay(message, Duration.ofMillis(millis * 9 / 10));
        }));
        fault(
                "loses tiny delays",
                "delaysByOneMillisecond",
                losing(message -> isDelayed(message) && message.delay().toMillis() < 5));
        faultIn(
                "publishes delayed messages to all",
                "deliversADelayedMessageToItsQueueOnly",
                test -> altering(message -> {
                    Set<String> keys = test.keysOf(message.route().routingKey());
                    return isDelayed(message) && message.route() instanceof Route.ToQueue && !keys.isEmpty()
                            ? withRoute(
                                    message,
                                    new Route.ToSubscribers(keys.iterator().next()))
                            : message;
                }));
        fault("delays first in, first out", "doesNotLetALongDelayHoldBackAShortOne", transport -> {
            AtomicLong lastDue = new AtomicLong(System.nanoTime());
            altering(message -> {
                        long now = System.nanoTime();
                        return isDelayed(message)
                                ? withDelay(
                                        message,
                                        Duration.ofNanos(lastDue.accumulateAndGet(
                                                        now + message.delay().toNanos(), Math::max)
                                                - now))
                                : message;
                    })
                    .accept(transport);
        });
        faultIn(
                "delays a publication for one queue only",
                "deliversADelayedPublicationToEveryBoundQueue",
                test -> altering(message -> isDelayed(message) && isPublication(message)
                        ? toOneOf(test.boundFor(message.route().routingKey()), message)
                        : message));
        fault(
                "publishes at once",
                "deliversADelayedPublicationToEveryBoundQueue",
                altering(message -> isPublication(message) ? withDelay(message, Duration.ZERO) : message));
    }
}
