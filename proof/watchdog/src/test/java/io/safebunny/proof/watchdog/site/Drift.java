// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Answers of {@code GET safebunny/topology}, as a node {@code shop} gives them on brokers that are more or less as planned. */
public final class Drift {

    private static final String AS_PLANNED = mark("AS_PLANNED", "");
    private static final String UNKNOWN = mark("UNKNOWN", "");
    private static final String MAIN = exchange("safebunny", "TOPIC", "PUBLICATIONS", AS_PLANNED);

    /** Of a version that does not mark anything. */
    public static final String OLD_ANSWER = quoted(
            "{'exchanges':[{'name':'safebunny','kind':'TOPIC'}],'queues':[{'name':'shop-OrderPlaced','arguments':{}}],'bindings':[{'exchange':'safebunny','queue':'shop-OrderPlaced','routingKey':'desk-OrderPlaced'}]}");

    private Drift() {}

    /** A binding and the archive are missing, a policy harms a queue, a binding and a queue are left over. */
    public static String some() {
        return answer(
                "{'state':'COMPARED','level':'DEGRADED','words':'The broker differs from the plan in 4 points. Check the findings.','asOf':'%1$s','marksAsOf':'%1$s','notices':[]}"
                        .formatted(Instant.now()),
                List.of(
                        MAIN,
                        exchange("safebunny.own", "TOPIC", "OWN", AS_PLANNED),
                        exchange("safebunny.poison", "DIRECT", "POISON", AS_PLANNED),
                        exchange("safebunny.retry", "DIRECT", "RETRIES", AS_PLANNED),
                        exchange("safebunny.due", "DIRECT", "DUE", AS_PLANNED),
                        exchange("safebunny.delayed", "DELAYED", "DELAYS", AS_PLANNED)),
                List.of(
                        queue("shop-OrderPlaced", "HANDLED", "OrderPlaced", AS_PLANNED, depth(0, 0, 1)),
                        queue(
                                "shop-Charge",
                                "HANDLED",
                                "Charge",
                                mark("DIFFERENT", "Queue has message-ttl=60000 by policy: messages are dropped"),
                                depth(3, 2, 1)),
                        queue("shop-poison", "POISON", "", AS_PLANNED, depth(7, 0, 0)),
                        queue("shop-dead-letters", "DEAD_LETTERS", "", AS_PLANNED, depth(0, 0, 1)),
                        queue(
                                "shop-poison-archive",
                                "ARCHIVE",
                                "",
                                mark("MISSING", "Queue `shop-poison-archive` is missing: the node runs without it"),
                                "null"),
                        queue("shop-Old", "HANDLED", "Old", mark("UNPLANNED", "It may be left over"), depth(12, 0, 0))),
                List.of(
                        binding(
                                "safebunny",
                                "shop-OrderPlaced",
                                "desk-OrderPlaced",
                                mark("MISSING", "It is not bound")),
                        binding(
                                "safebunny",
                                "shop-OrderPlaced",
                                "old-OrderPlaced",
                                mark("UNPLANNED", "It is also bound")),
                        binding("safebunny.due", "shop-OrderPlaced", "desk-OrderPlaced", AS_PLANNED),
                        binding("safebunny", "shop-Charge", "shop-Charge", AS_PLANNED),
                        binding("safebunny.poison", "shop-poison", "shop", AS_PLANNED),
                        binding("safebunny.poison", "shop-dead-letters", "shop-dead-letters", AS_PLANNED),
                        binding("safebunny.own", "shop-poison-archive", "shop-BunnyArchive", mark("MISSING", ""))));
    }

    /** So many types, of which one lacks a binding, and a queue of the node with a long name. */
    public static String among(int types, int missing) {
        List<String> queues = new ArrayList<>();
        List<String> bindings = new ArrayList<>();
        IntStream.range(0, types).mapToObj(i -> "Type" + i).forEach(type -> {
            queues.add(queue("shop-" + type, "HANDLED", type, AS_PLANNED, depth(0, 0, 1)));
            String mark = type.equals("Type" + missing) ? mark("MISSING", "It is not bound") : AS_PLANNED;
            bindings.add(binding("safebunny", "shop-" + type, "desk-" + type, mark));
            bindings.add(binding("safebunny.retry", "shop-" + type, "shop-" + type, AS_PLANNED));
        });
        String longest = "shop-" + "Long".repeat(25);
        queues.add(queue(longest, "HANDLED", longest, AS_PLANNED, depth(100, 0, 1)));
        return answer(
                "{'state':'COMPARED','level':'DEGRADED','words':'It differs.','asOf':'2026-01-01T00:00:00Z','marksAsOf':'2026-01-01T00:00:00Z','notices':[]}",
                List.of(MAIN),
                queues,
                bindings);
    }

    /** @param comparison as JSON, with apostrophes for quotes */
    public static String uncompared(String comparison) {
        return answer(
                comparison,
                List.of(exchange("safebunny", "TOPIC", "PUBLICATIONS", UNKNOWN)),
                List.of(queue("shop-OrderPlaced", "HANDLED", "OrderPlaced", UNKNOWN, "null")),
                List.of(binding("safebunny", "shop-OrderPlaced", "desk-OrderPlaced", UNKNOWN)));
    }

    /** Everything has this name. */
    public static String named(String name) {
        return uncompared("{'state':'COMPARED','level':'UP','words':'HERE','asOf':'HERE','notices':['HERE']}")
                .replaceAll("shop-OrderPlaced|desk-OrderPlaced|OrderPlaced|HERE", "THE NAME")
                .replace("\"mark\":\"UNKNOWN\",\"findings\":[]", "\"mark\":\"MISSING\",\"findings\":[\"THE NAME\"]")
                .replace("THE NAME", name.replace("\"", "\\\""));
    }

    private static String answer(
            String comparison, List<String> exchanges, List<String> queues, List<String> bindings) {
        return quoted("{'node':'shop','comparison':%s,'exchanges':[%s],'queues':[%s],'bindings':[%s]}"
                .formatted(
                        comparison, String.join(",", exchanges), String.join(",", queues), String.join(",", bindings)));
    }

    private static String exchange(String name, String kind, String role, String mark) {
        return "{'name':'%s','kind':'%s','alternate':null,'role':'%s',%s}".formatted(name, kind, role, mark);
    }

    private static String queue(String name, String role, String type, String mark, String depth) {
        return "{'name':'%s','arguments':{'x-queue-type':'quorum'},'role':'%s','type':'%s',%s,'depth':%s}"
                .formatted(name, role, type, mark, depth);
    }

    private static String binding(String exchange, String queue, String key, String mark) {
        return "{'exchange':'%s','queue':'%s','routingKey':'%s',%s}".formatted(exchange, queue, key, mark);
    }

    private static String mark(String mark, String finding) {
        return "'mark':'%s','findings':[%s]".formatted(mark, finding.isEmpty() ? "" : "'" + finding + "'");
    }

    private static String depth(int ready, int unacknowledged, int consumers) {
        return "{'ready':%s,'unacknowledged':%s,'consumers':%s}".formatted(ready, unacknowledged, consumers);
    }

    /** With quotes for apostrophes, and apostrophes for backticks. */
    private static String quoted(String json) {
        return json.replace('\'', '"').replace('`', '\'');
    }
}
