// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import io.safebunny.rabbit.hostile.HostileMessage.Property;
import java.util.List;
import java.util.Random;

/** The ways by which a node with ordinary permissions reaches queues of another one, and dead ends. */
final class Routes {

    /** In a property that the victim's own copies have a number in. */
    static final String PAST_THE_VICTIM = "past the victim";

    /**
     * One way.
     *
     * @param weight how often it is taken
     * @param end what kind of queue
     */
    record Way(String exchange, String key, int weight, End end) {

        /** So that everything may be wrong with the message. */
        boolean toHandler() {
            return end == End.HANDLER;
        }

        HostileMessage of(HostileMessage message) {
            HostileMessage sent = message.to(exchange, key);
            if (end == End.POISON) {
                return sent.with(Property.CLUSTER_ID, PAST_THE_VICTIM);
            }
            return exchange.equals("safebunny.delayed")
                    ? sent.withHeader("sb-delay", Octets.text("06")).withHeader("sb-delay-06", Octets.text("retry"))
                    : sent;
        }
    }

    private enum End {
        HANDLER,
        POISON,
        OTHER
    }

    private final List<Way> ways;
    private final int weights;

    Routes(String victim, String attacker) {
        ways = List.of(
                new Way("safebunny", attacker + "-Order", 40, End.HANDLER),
                new Way("safebunny", attacker + "-Payment", 10, End.HANDLER),
                new Way("safebunny", attacker + "-Note", 10, End.HANDLER),
                new Way("safebunny", attacker + "-Nobody", 2, End.OTHER),
                new Way("safebunny.retry", victim + "-Order", 10, End.HANDLER),
                new Way("safebunny.retry", victim + "-Note", 5, End.HANDLER),
                new Way("safebunny.retry", victim + "-Nobody", 2, End.OTHER),
                new Way("safebunny.retry", "", 1, End.OTHER),
                new Way("safebunny.due", attacker + "-Order", 5, End.HANDLER),
                new Way("safebunny.due", victim + "-Payment", 5, End.HANDLER),
                new Way("safebunny.delayed", victim + "-Order", 4, End.HANDLER),
                new Way("safebunny.delayed", victim + "-Nobody", 1, End.OTHER),
                new Way("safebunny.poison", victim + "-dead-letters", 5, End.OTHER),
                new Way("safebunny.poison", victim, 2, End.POISON),
                new Way("safebunny.poison", "nobody", 1, End.OTHER),
                new Way("", victim + "-Order", 5, End.HANDLER),
                new Way("", victim + "-dead-letters", 2, End.OTHER),
                new Way("", victim + "-poison", 1, End.POISON),
                new Way("", "nobody", 1, End.OTHER));
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
