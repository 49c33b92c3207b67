// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.hostile;

import java.util.List;
import java.util.Random;

/** The ways by which a node with ordinary permissions reaches queues of another one, and dead ends. */
final class Routes {

    /**
     * One way.
     *
     * @param weight how often it is taken
     * @param toHandler whether it ends in a queue of a handler, so that everything may be wrong with the message
     */
    record Way(String exchange, String key, int weight, boolean toHandler) {

        HostileMessage of(HostileMessage message) {
            HostileMessage sent = message.to(exchange, key);
            return exchange.equals("safebunny.delayed")
                    ? sent.withHeader("sb-delay", Octets.text("06")).withHeader("sb-delay-06", Octets.text("retry"))
                    : sent;
        }
    }

    private final List<Way> ways;
    private final int weights;

    Routes(String victim, String attacker) {
        ways = List.of(
                new Way("safebunny", attacker + "-Order", 40, true),
                new Way("safebunny", attacker + "-Payment", 10, true),
                new Way("safebunny", attacker + "-Note", 10, true),
                new Way("safebunny", attacker + "-Nobody", 2, false),
                new Way("safebunny.retry", victim + "-Order", 10, true),
                new Way("safebunny.retry", victim + "-Note", 5, true),
                new Way("safebunny.retry", victim + "-Nobody", 2, false),
                new Way("safebunny.retry", "", 1, false),
                new Way("safebunny.due", attacker + "-Order", 5, true),
                new Way("safebunny.due", victim + "-Payment", 5, true),
                new Way("safebunny.delayed", victim + "-Order", 4, true),
                new Way("safebunny.delayed", victim + "-Nobody", 1, false),
                new Way("safebunny.poison", victim + "-dead-letters", 5, false),
                new Way("safebunny.poison", victim, 2, false),
                new Way("safebunny.poison", "nobody", 1, false),
                new Way("", victim + "-Order", 5, true),
                new Way("", victim + "-dead-letters", 2, false),
                new Way("", victim + "-poison", 1, false),
                new Way("", "nobody", 1, false));
        weights = ways.stream().mapToInt(Way::weight).sum();
    }

    List<Way> all() {
        return ways;
    }

    Way any(Random random) {
        int chosen = random.nextInt(weights);
        for (Way way : ways) {
            chosen -= way.weight;
            if (chosen < 0) {
                return way;
            }
        }
        throw new IllegalStateException("The weights are wrong");
    }
}
