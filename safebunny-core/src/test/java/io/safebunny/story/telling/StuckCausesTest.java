// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static io.safebunny.story.telling.CauseDesk.ID;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.RetryLaterException;
import io.safebunny.ScheduledMessages;
import io.safebunny.ThrottledException;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.Trail;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Command;
import io.safebunny.story.telling.CauseDesk.Again;
import io.safebunny.story.telling.CauseDesk.BuyAll;
import io.safebunny.story.telling.CauseDesk.Captured;
import io.safebunny.story.telling.CauseDesk.Declined;
import io.safebunny.story.telling.CauseDesk.Gossip;
import io.safebunny.story.telling.CauseDesk.Note;
import io.safebunny.story.telling.CauseDesk.PlaceOrder;
import io.safebunny.story.telling.CauseDesk.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Why an order does not go on: each cause that there is, named by the story of the node that knows it, with the request that helps. */
@Tag("once")
class StuckCausesTest {

    /** Names of our own types. */
    private static final Pattern OURS = Pattern.compile("\\bBunny[A-Z]");

    /** One row of the table: what has happened, who is asked, and what has to be told. */
    private static final class Cause {
        private final String name;
        private Consumer<CauseDesk> happens = desk -> {};
        private String node = "orders";
        private String id = ID;
        private final List<String> says = new ArrayList<>();
        private final List<String> silent = new ArrayList<>();
        private final List<String> helps = new ArrayList<>();
        private final List<String> all = new ArrayList<>();
        private @Nullable String first;
        private @Nullable String usual;
        private boolean helpsOnly;

        Cause(String name) {
            this.name = name;
        }

        Cause when(Consumer<CauseDesk> what) {
            happens = what;
            return this;
        }

        Cause at(String where) {
            node = where;
            return this;
        }

        /** The story of all these nodes, the first of which is asked. */
        Cause among(String... nodes) {
            all.addAll(List.of(nodes));
            return this;
        }

        /** How the first sentence begins. */
        Cause first(String part) {
            first = part;
            return this;
        }

        /** Part of the one request that is marked as usual; empty if none is. */
        Cause usual(String part) {
            usual = part;
            return this;
        }

        Cause about(String what) {
            id = what;
            return this;
        }

        /** Parts of sentences; {@code *} stands for an id. */
        Cause says(String... parts) {
            says.addAll(List.of(parts));
            return this;
        }

        Cause never(String... parts) {
            silent.addAll(List.of(parts));
            return this;
        }

        /** Parts of requests, in this order; the last one is the last request. */
        Cause helps(String... parts) {
            helps.addAll(List.of(parts));
            helpsOnly = true;
            return this;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static RuntimeException down() {
        return new IllegalStateException("the gateway is down");
    }

    private static RuntimeException unfit() {
        return new PoisonMessageException("no such card");
    }

    private static Cause of(String name) {
        return new Cause(name);
    }

    private static String message(String type) {
        return "`" + type + "` (*)";
    }

    static Stream<Cause> causes() {
        return Stream.of(waiting(), pauses(), poison(), fates(), repairs(), surroundings(), unknown())
                .flatMap(List::stream);
    }

    // ---- nothing is wrong but that it waits

    private static List<Cause> waiting() {
        return List.of(
                of("its participant has not answered")
                        .when(CauseDesk::place)
                        .says(
                                "has not taken these yet: `Captured` and `Declined` from billing, `Note` from storefront",
                                "Its latest step is pay: " + message("Capture"),
                                "None of these types is paused",
                                "Its timeout payment is due at 00:15:00Z")
                        .helps("safebunny/nodes/billing", "safebunny/nodes/storefront", "safebunny/sagas/order-1"),
                of("its command got lost")
                        .when(desk -> {
                            desk.world.arrivals =
                                    sent -> "Capture".equals(sent.message().type()) ? 0 : 1;
                            desk.place();
                        })
                        .says("Its latest step is pay: " + message("Capture"))
                        .helps("safebunny/nodes/billing", "safebunny/nodes/storefront", "safebunny/sagas/order-1"),
                of("its participant is not there any more")
                        .when(desk -> {
                            desk.startAll();
                            desk.world.stop("billing");
                            desk.order();
                        })
                        .says("has not taken these yet: `Captured` and `Declined` from billing")
                        .helps("safebunny/nodes/billing", "safebunny/nodes/storefront", "safebunny/sagas/order-1"),
                of("its participant has never been there")
                        .when(desk -> {
                            desk.start("storefront", "orders");
                            desk.order();
                            desk.pass(6);
                        })
                        .says("Its record does not say that the broker has " + message("Capture"))
                        .helps("safebunny/nodes/billing", "safebunny/sagas/order-1", "safebunny/publisher"),
                of("the command is being handled")
                        .when(desk -> {
                            desk.does.put("Capture", (payload, context) -> desk.inHandler = desk.story("billing", ID));
                            desk.place();
                        })
                        .at("billing")
                        .says("billing is handling " + message("Capture") + "; its claim was made")
                        .helps(),
                of("the instance that handled it has died")
                        .when(desk -> {
                            desk.startAll();
                            MessageStore store = desk.store("billing");
                            var unused = store.create(MessageRecord.claim(
                                    new RecordKey(ID, "m-1"),
                                    "owner",
                                    SagaWorld.LEASE,
                                    0,
                                    new Fingerprint(Fingerprint.SHA256, 1, 1),
                                    Trail.of("Capture")));
                            desk.pass(31);
                        })
                        .at("billing")
                        .says(
                                "billing has begun to handle `Capture` (m-1)",
                                "was to be renewed by 00:00:30Z: its instance may have died")
                        .helps(),
                of("the command waits for its next attempt")
                        .when(desk -> {
                            desk.throwing("Capture", down());
                            desk.place();
                        })
                        .at("billing")
                        .says(
                                "billing has failed to handle " + message("Capture") + " once; the last attempt failed",
                                "IllegalStateException: \"the gateway is down\"",
                                "The next attempt is due at 00:00:10Z.",
                                "Its type is not paused")
                        .helps(),
                of("the handler asked for another delivery")
                        .when(desk -> {
                            desk.throwing("Capture", new RetryLaterException(Duration.ofMinutes(3)));
                            desk.place();
                        })
                        .at("billing")
                        .says("RetryLaterException", "The next attempt is due at 00:03:00Z.")
                        .helps(),
                of("the copy of the next attempt got lost")
                        .when(desk -> {
                            desk.throwing("Capture", down());
                            desk.world.losesDelayed = true;
                            desk.place();
                            desk.pass(60);
                        })
                        .at("billing")
                        .says(
                                "The next attempt was due at 00:00:10Z: the message waits in its queue, unless it has got lost.")
                        .helps(),
                of("the reply waits for its next attempt")
                        .when(desk -> {
                            desk.fails.put("Captured", down());
                            desk.replies(new Captured("1"));
                            desk.place();
                        })
                        .says(
                                "has not taken these yet: `Captured`",
                                "orders has failed to handle " + message("Captured") + " once",
                                "The next attempt is due at 00:00:10Z.")
                        .helps("safebunny/nodes/billing", "safebunny/nodes/storefront", "safebunny/sagas/order-1"),
                of("its timeout is tried again")
                        .when(desk -> {
                            desk.fails.put("payment", down());
                            desk.place();
                            desk.pass(900);
                        })
                        .says(
                                "Its timeout payment has been due since 00:15:00Z.",
                                "orders has failed to handle " + "the end of a timeout (*)" + " once",
                                "The next attempt is due at 00:15:10Z.")
                        .helps("safebunny/nodes/billing", "safebunny/nodes/storefront", "safebunny/sagas/order-1"),
                of("the message of its timeout got lost")
                        .when(desk -> {
                            desk.world.losesDelayed = true;
                            desk.place();
                            desk.pass(900);
                        })
                        .says("Its timeout payment has been due since 00:15:00Z.")
                        .helps("safebunny/nodes/billing", "safebunny/nodes/storefront", "safebunny/sagas/order-1"));
    }

    // ---- somebody or something has paused it

    private static List<Cause> pauses() {
        String paused =
                " has been paused since 00:00:01Z, until 01:00:01Z, by ops (\"the gateway is down\"), at instance * of ";
        return List.of(
                of("the type of a reply is paused by hand")
                        .when(desk -> {
                            desk.place();
                            desk.pause("orders", Captured.class);
                        })
                        .says("`Captured`" + paused + "orders.")
                        .never("is paused at")
                        .helps("safebunny/breakers/Captured", "\"state\":\"closed\""),
                of("the type of a command is paused by hand, after an attempt")
                        .when(desk -> {
                            desk.throwing("Capture", down());
                            desk.place();
                            desk.pause("billing", "Capture");
                            desk.pass(20);
                        })
                        .at("billing")
                        .says("The next attempt was due at 00:00:10Z", "Its type" + paused + "billing.")
                        .helps("safebunny/breakers/Capture", "\"state\":\"closed\""),
                of("the node has not begun to consume")
                        .when(desk -> {
                            desk.world.options = options -> options.withAutoStartup(false);
                            desk.start("orders");
                            desk.world.options = options -> options;
                            desk.start("storefront", "billing");
                            var unused = desk.world
                                    .engine("orders")
                                    .get(BunnyOperations.class)
                                    .resume("PlaceOrder", Scope.INSTANCE, "to begin", "ops");
                            desk.order();
                        })
                        .says("`Captured` has been paused since 00:00:00Z (\"", "at instance * of orders.")
                        .never("until")
                        .helps("safebunny/breakers/Captured", "\"state\":\"closed\""),
                of("the breaker of a reply has opened by itself")
                        .when(desk -> {
                            desk.withThreshold();
                            desk.replies(new Captured("1"));
                            desk.fails.put("Captured", down());
                            for (int i = 2; i < 6; i++) {
                                desk.publish(new PlaceOrder("order-" + i), "order-" + i);
                            }
                            desk.order();
                        })
                        .says("`Captured` has been paused since", "(\"100", "at instance * of orders.")
                        .never("by ops")
                        .helps("safebunny/breakers/Captured", "safebunny/sagas/order-1"),
                of("what a handler calls accepts no calls for a while")
                        .when(desk -> {
                            desk.throwing("Capture", new ThrottledException(Duration.ofMinutes(5)));
                            desk.place();
                        })
                        .at("billing")
                        .says(
                                "billing has returned " + message("Capture")
                                        + " to its queue at 00:00:00Z without a failed attempt.",
                                "Its type has been paused since 00:00:00Z, until 00:05:00Z (\"")
                        .helps("safebunny/breakers/Capture"),
                of("its type was paused when it was to be tried again")
                        .when(desk -> {
                            desk.throwing("Capture", down());
                            desk.place();
                            desk.throwing("Capture", new ThrottledException(Duration.ofMinutes(5)));
                            desk.pass(10);
                        })
                        .at("billing")
                        .says(
                                "billing has failed to handle " + message("Capture") + " once",
                                "It has come back to its queue since, at 00:00:10Z, without another failed attempt.")
                        .never("was due at")
                        .helps("safebunny/breakers/Capture"),
                of("its type is probed")
                        .when(desk -> {
                            desk.throwing("Capture", new ThrottledException(Duration.ofMinutes(5)));
                            desk.place();
                            desk.world.broker.clear();
                            desk.pass(300);
                        })
                        .at("billing")
                        .says("Its type has been probed with few messages since 00:05:00Z")
                        .helps("safebunny/breakers/Capture"),
                of("its type is paused by hand, and its breaker is open, too")
                        .when(desk -> {
                            desk.throwing("Capture", new ThrottledException(Duration.ofMinutes(5)));
                            desk.place();
                            desk.pause("billing", "Capture");
                        })
                        .at("billing")
                        .says("by ops (\"the gateway is down\"), and its breaker has opened by itself (\"")
                        .helps("safebunny/breakers/Capture", "\"state\":\"closed\""),
                of("timeouts are paused")
                        .when(desk -> {
                            desk.place();
                            desk.pause("orders", "BunnyTimeout");
                            desk.pass(900);
                        })
                        .says(
                                "The handling of timeouts" + paused + "orders.",
                                "Its timeout payment has been due since 00:15:00Z.")
                        .helps("safebunny/breakers/BunnyTimeout", "\"state\":\"closed\""),
                of("acknowledgements of undos are paused")
                        .when(desk -> {
                            desk.startAll();
                            desk.pass(1);
                            desk.pause("orders", "BunnyUndone");
                            desk.replies(new Declined("1"));
                            desk.order();
                        })
                        .says(
                                "It has sent `Refund`, the undo of step pay, at 00:00:01Z, and waits for its acknowledgement",
                                "The handling of acknowledgements of undos" + paused + "orders.")
                        .helps("safebunny/breakers/BunnyUndone", "\"state\":\"closed\""),
                of("repairs are paused")
                        .when(desk -> {
                            desk.place();
                            desk.pause("orders", "BunnyRepair");
                            desk.sagas().fail("Buying", ID, "given up");
                            desk.pass(1);
                        })
                        .says(
                                "Buying order-1 of orders has been active",
                                "The handling of repairs by hand" + paused + "orders.")
                        .helps("safebunny/breakers/BunnyRepair", "\"state\":\"closed\""));
    }

    // ---- it was set aside

    private static List<Cause> poison() {
        return List.of(
                of("the command was set aside")
                        .when(desk -> {
                            desk.throwing("Capture", unfit());
                            desk.place();
                        })
                        .first(
                                "Buying order-1 of orders has waited for a repair since 00:00:00Z: billing has set aside "
                                        + message("Capture") + ", the command of step pay (handler-failed).")
                        .says(
                                "That step does not go on until somebody repairs it: nothing tries it again by itself. The saga began at 00:00:00Z",
                                "Its timeout payment is due at 00:15:00Z.")
                        .never("has not taken these yet", "is paused", "latest step")
                        .usual("\"action\":\"retry\"")
                        .helps(
                                "safebunnypoison/",
                                "\"action\":\"retry\",\"saga\":\"Buying\"",
                                "\"action\":\"fail\",\"saga\":\"Buying\""),
                of("the command was set aside after all attempts")
                        .when(desk -> {
                            desk.throwing("Capture", down());
                            desk.place();
                            desk.pass(30);
                        })
                        .first(
                                "Buying order-1 of orders has waited for a repair since 00:00:20Z: billing has set aside ")
                        .says(", the command of step pay (retries-exhausted).")
                        .helps(
                                "safebunnypoison/",
                                "\"action\":\"retry\",\"saga\":\"Buying\"",
                                "\"action\":\"fail\",\"saga\":\"Buying\""),
                of("the command was set aside, as its node tells it")
                        .when(desk -> {
                            desk.throwing("Capture", down());
                            desk.place();
                            desk.pass(30);
                        })
                        .at("billing")
                        .says(
                                "billing has set " + message("Capture")
                                        + " aside at 00:00:20Z, after 3 failed attempts, the last at 00:00:20Z (IllegalStateException: \"the gateway is down\").")
                        .usual("")
                        .helps("safebunnypoison/", "\"action\":\"replay\",\"dryRun\":\"true\""),
                of("the command was set aside, as all nodes tell it")
                        .when(desk -> {
                            desk.throwing("Capture", down());
                            desk.place();
                            desk.pass(30);
                        })
                        .among("orders", "billing")
                        .first(
                                "Buying order-1 of orders has waited for a repair since 00:00:20Z: billing has set aside "
                                        + message("Capture")
                                        + ", the command of step pay (retries-exhausted: IllegalStateException")
                        .says("billing has failed to handle " + message("Capture")
                                + " 3 times, the last time at 00:00:20Z.")
                        .never(" aside at ", "\"action\":\"replay\"", "is paused", "has not taken these yet")
                        .usual("\"action\":\"retry\"")
                        .helps("\"action\":\"retry\",\"saga\":\"Buying\"", "\"action\":\"fail\",\"saga\":\"Buying\""),
                of("another step is on its way while one was set aside")
                        .when(desk -> {
                            desk.throwing("Pack", unfit());
                            desk.startAll();
                            desk.publish(new BuyAll("1"), ID);
                        })
                        .first("Collecting order-1 of orders has been active since 00:00:00Z")
                        .says(
                                "billing has set " + message("Pack")
                                        + " aside (handler-failed), and the saga is blocked on it.",
                                "has not taken these yet: `Again` from storefront, `Fetched` from billing")
                        .usual("\"action\":\"retry\""),
                of("the command cannot be read")
                        .when(desk -> {
                            desk.spoilt.add("Capture");
                            desk.place();
                        })
                        .says("has waited for a repair since 00:00:00Z", "(malformed-body).")
                        .helps(
                                "safebunnypoison/",
                                "\"action\":\"retry\",\"saga\":\"Buying\"",
                                "\"action\":\"fail\",\"saga\":\"Buying\""),
                of("the reply was set aside")
                        .when(desk -> {
                            desk.fails.put("Captured", unfit());
                            desk.replies(new Captured("1"));
                            desk.place();
                        })
                        .says(
                                "Buying order-1 of orders has been stuck since 00:00:00Z on " + message("Captured")
                                        + ", which orders has set aside: PoisonMessageException: \"SB-3001 no such card\".",
                                "It takes no other message until somebody repairs it.")
                        .never("has not taken these yet")
                        .usual("\"action\":\"replay\"")
                        .helps(
                                "\"action\":\"replay\"",
                                "\"action\":\"resume\",\"saga\":\"Buying\"",
                                "\"action\":\"fail\",\"saga\":\"Buying\""),
                of("the reply cannot be read")
                        .when(desk -> {
                            desk.spoilt.add("Captured");
                            desk.replies(new Captured("1"));
                            desk.place();
                        })
                        .says(
                                "Buying order-1 of orders has been stuck since 00:00:00Z on ",
                                "which orders has set aside")
                        .helps(
                                "\"action\":\"replay\"",
                                "\"action\":\"resume\",\"saga\":\"Buying\"",
                                "\"action\":\"fail\",\"saga\":\"Buying\""),
                of("a later message came to a stuck saga")
                        .when(desk -> {
                            desk.fails.put("Note", unfit());
                            desk.place();
                            desk.publish(new Note("1"), ID);
                            desk.replies(new Captured("1"));
                            var unused = desk.world
                                    .bunny("billing")
                                    .publish(
                                            new Captured("1"),
                                            PublishOptions.none().withCorrelationId(ID));
                            desk.pass(1);
                        })
                        .says(
                                "on " + message("Note"),
                                "orders has set " + message("Captured") + " aside",
                                "is stuck: message")
                        .helps(
                                "poisonReason=saga-stuck",
                                "\"action\":\"resume\",\"saga\":\"Buying\"",
                                "\"action\":\"fail\",\"saga\":\"Buying\""),
                of("the undo was set aside")
                        .when(desk -> {
                            desk.replies(new Declined("1"));
                            desk.throwing("Refund", unfit());
                            desk.place();
                        })
                        .says(
                                "failed (\"declined\"), and an undo was set aside: `Refund` of step pay. It waits until somebody repairs it",
                                "billing has set " + message("Refund")
                                        + " aside (handler-failed), and the saga is blocked on it.")
                        .usual("\"action\":\"retry\"")
                        .helps("safebunnypoison/", "\"action\":\"retry\",\"saga\":\"Buying\"", "\"action\":\"skip\""),
                of("the undo was set aside, as all nodes tell it")
                        .when(desk -> {
                            desk.replies(new Declined("1"));
                            desk.throwing("Refund", unfit());
                            desk.place();
                        })
                        .among("orders", "billing")
                        .says(
                                "billing has set " + message("Refund")
                                        + " aside at 00:00:00Z (handler-failed: PoisonMessageException; ask billing for its text), and the saga is blocked on it.")
                        .never(" aside at 00:00:00Z, after", "\"action\":\"replay\"")
                        .usual("\"action\":\"retry\""),
                of("the acknowledgement of the undo was set aside")
                        .when(desk -> {
                            desk.refused.add("BunnyUndone");
                            desk.replies(new Declined("1"));
                            desk.place();
                            desk.pass(60);
                        })
                        .says(
                                "the acknowledgement of `Refund`, the undo of step pay, was set aside: the undo itself was carried out",
                                "orders has set " + "the acknowledgement of an undo (*)" + " aside")
                        .never("an undo was set aside")
                        .usual("\"action\":\"replay\"")
                        .helps("safebunnypoison/", "\"action\":\"replay\",\"dryRun\":\"true\""),
                of("the timeout was set aside")
                        .when(desk -> {
                            desk.fails.put("payment", unfit());
                            desk.place();
                            desk.pass(901);
                        })
                        .says(
                                "has been stuck since 00:15:00Z on " + "the end of a timeout (*)",
                                "Its timeout payment was due at 00:15:00Z: it runs as soon as the saga goes on.")
                        .helps(
                                "\"action\":\"replay\"",
                                "\"action\":\"resume\",\"saga\":\"Buying\"",
                                "\"action\":\"fail\",\"saga\":\"Buying\""),
                of("what was sent again is too old")
                        .when(desk -> {
                            desk.throwing("Capture", unfit());
                            desk.world.losesDelayed = true;
                            desk.fails.put("payment", down());
                            desk.startAll();
                            desk.pause("orders", "BunnyTimeout");
                            desk.order();
                            desk.world.timeline.advance(Duration.ofDays(8));
                            desk.world.settle();
                            var unused = desk.store("billing").removeExpired(100);
                            desk.pause("orders", "BunnyTimeout");
                            desk.sagas().retry("Buying", ID, "the bank is open");
                            desk.pass(2);
                        })
                        .usual("")
                        .says(
                                "billing has set aside " + message("Capture") + ", the command of step pay (too-old)",
                                "It is too old for billing to know")
                        .never("\"action\":\"retry\"")
                        .helps(
                                "safebunnypoison/",
                                "\"action\":\"replay\",\"dryRun\":\"true\",\"reason\":\"REASON\",\"forced\":\"true\"",
                                "\"action\":\"skip\",\"saga\":\"Buying\",\"step\":\"pay\"",
                                "\"action\":\"fail\",\"saga\":\"Buying\"",
                                "\"state\":\"closed\""));
    }

    private static void retryTwice(CauseDesk desk) {
        desk.throwing("Capture", unfit());
        desk.place();
        for (String reason : List.of("the bank is open", "it has a card now")) {
            desk.pass(1);
            desk.sagas().retry("Buying", ID, reason);
            desk.pass(0);
        }
    }

    // ---- its saga does not take it, or is not waited for

    private static List<Cause> fates() {
        return List.of(
                of("there is no such saga yet")
                        .when(desk -> {
                            desk.startAll();
                            desk.publish(new Note("1"), ID);
                        })
                        .says(
                                "orders has failed to handle " + message("Note") + " once",
                                "There is no saga Buying order-1",
                                "The next attempt is due at 00:00:10Z.")
                        .helps(),
                of("there never was such a saga")
                        .when(desk -> {
                            desk.startAll();
                            desk.publish(new Note("1"), ID);
                            desk.pass(30);
                        })
                        .says("orders has set " + message("Note") + " aside", "There is no saga Buying order-1")
                        .helps("safebunnypoison/", "\"action\":\"replay\",\"dryRun\":\"true\""),
                of("its saga began after it was set aside")
                        .when(desk -> {
                            desk.startAll();
                            desk.publish(new Note("1"), ID);
                            desk.pass(25);
                            desk.order();
                            desk.pass(60);
                        })
                        .says("Buying order-1 of orders has been stuck since", "on " + message("Note"))
                        .helps(
                                "\"action\":\"replay\"",
                                "\"action\":\"resume\",\"saga\":\"Buying\"",
                                "\"action\":\"fail\",\"saga\":\"Buying\""),
                of("it was started twice")
                        .when(desk -> {
                            desk.place();
                            desk.publish(new PlaceOrder("again"), ID);
                        })
                        .says("has been active since 00:00:00Z", "It last changed at 00:00:00Z.", "`PlaceOrder` (2)")
                        .helps("safebunny/nodes/billing", "safebunny/nodes/storefront", "safebunny/sagas/order-1"),
                of("it has taken so much that its history does not reach back")
                        .when(desk -> {
                            desk.place();
                            for (int i = 0; i < 60; i++) {
                                desk.publish(new Note("n" + i), ID);
                            }
                        })
                        .says(
                                "Of what it takes, what is left of its history (50 events) does not name these: `Captured` and `Declined` from billing;")
                        .never("it has not taken these yet")
                        .helps("safebunny/nodes/billing", "safebunny/sagas/order-1"),
                of("it has ended")
                        .when(desk -> {
                            desk.replies(new Captured("1"));
                            desk.place();
                        })
                        .says("Buying order-1 of orders completed; it last changed at 00:00:00Z.")
                        .never("waits", "paused", "due")
                        .helps("safebunny/sagas/order-1"),
                of("a message came after its end")
                        .when(desk -> {
                            desk.replies(new Captured("1"));
                            desk.place();
                            desk.publish(new Note("1"), ID);
                        })
                        .says("completed; it last changed at 00:00:00Z.", "`Note`")
                        .helps("safebunny/sagas/order-1"),
                of("it ended long ago")
                        .when(desk -> {
                            desk.replies(new Captured("1"));
                            desk.place();
                            desk.world.timeline.advance(Duration.ofDays(60));
                            desk.world.settle();
                            desk.world.timeline.advance(Duration.ofDays(60));
                            desk.world.settle();
                        })
                        .says("Nothing is known of order-1 at orders.", "be too old")
                        .helps("safebunnypoison/order-1", "safebunny/nodes"),
                of("it failed and was undone")
                        .when(desk -> {
                            desk.replies(new Declined("1"));
                            desk.place();
                        })
                        .says(
                                "failed (\"declined\"), and has ended, with one step undone; it last changed at 00:00:00Z.")
                        .helps("safebunny/sagas/order-1"),
                of("its timeout was over while its command had been set aside")
                        .when(desk -> {
                            desk.throwing("Capture", unfit());
                            desk.place();
                            desk.pass(901);
                        })
                        .among("orders", "billing")
                        .says(
                                "failed (\"too late\"), and has ended",
                                "It failed when its timeout payment expired, at 00:15:00Z.",
                                "It had taken no message since 00:00:00Z, when it heard that billing had set aside "
                                        + message("Capture")
                                        + ", the command of step pay (handler-failed: PoisonMessageException"),
                of("its timeout was over while its command was tried again and again")
                        .when(desk -> {
                            desk.throwing("Capture", new RetryLaterException(Duration.ofMinutes(14)));
                            desk.place();
                            desk.pass(901);
                        })
                        .among("orders", "billing")
                        .says(
                                "It failed when its timeout payment expired, at 00:15:00Z.",
                                "Until then billing had failed to handle " + message("Capture")
                                        + ", the command of step pay, the last time at 00:14:00Z (RetryLaterException"),
                of("its timeout was over, and its command had been sent again and handled before")
                        .when(desk -> {
                            desk.throwing("Capture", unfit());
                            desk.place();
                            desk.does.remove("Capture");
                            desk.sagas().retry("Buying", ID, "the bank is open");
                            desk.pass(1);
                            desk.publish(new Note("1"), ID);
                            desk.pass(901);
                        })
                        .among("orders", "billing")
                        .says("It failed when its timeout payment expired, at 00:15:00Z.")
                        .never("had taken no message", "had failed to handle"),
                of("it was made to fail by hand, and not by its timeout")
                        .when(desk -> {
                            desk.throwing("Capture", unfit());
                            desk.place();
                            desk.sagas().fail("Buying", ID, "given up");
                            desk.pass(1);
                        })
                        .says("failed (\"given up\")")
                        .never("timeout"),
                of("its undo is not acknowledged, because it fails")
                        .when(desk -> {
                            desk.replies(new Declined("1"));
                            desk.throwing("Refund", down());
                            desk.place();
                        })
                        .says(
                                "and undoes its steps. It has sent `Refund`, the undo of step pay, at 00:00:00Z, and waits for its acknowledgement")
                        .helps("safebunny/nodes", "safebunny/sagas/order-1"),
                of("its undo fails, as its node tells it")
                        .when(desk -> {
                            desk.replies(new Declined("1"));
                            desk.throwing("Refund", down());
                            desk.place();
                        })
                        .at("billing")
                        .says(
                                "billing has failed to handle " + message("Refund") + " once",
                                "The next attempt is due at")
                        .helps(),
                of("its undo is done, and its acknowledgement waits behind what nobody takes")
                        .when(desk -> {
                            desk.replies(new Declined("1"));
                            desk.does.put("Refund", (payload, context) -> {
                                var unused = desk.world.bunny("billing").publish(new Gossip("1"));
                            });
                            desk.place();
                            desk.pass(6);
                        })
                        .at("billing")
                        .says("Its record does not say that the broker has " + message("Gossip") + " and "
                                + "the acknowledgement of an undo (*)")
                        .helps("safebunny/publisher"),
                of("its command came after its undo")
                        .when(desk -> {
                            desk.startAll();
                            desk.pause("billing", "Capture");
                            desk.order();
                            desk.sagas().fail("Buying", ID, "given up");
                            desk.pass(1);
                        })
                        .at("billing")
                        .says(
                                "billing does not handle message * any more: the undo of its step had arrived there by 00:00:01Z, and no record")
                        .never("was undone", "acknowledged")
                        .helps(),
                of("its command came after its undo, and that is not acknowledged")
                        .when(desk -> {
                            desk.startAll();
                            desk.pause("billing", "Capture");
                            desk.throwing("Refund", down());
                            desk.order();
                            desk.sagas().fail("Buying", ID, "given up");
                            desk.pass(1);
                        })
                        .among("orders", "billing")
                        .says("had been handled before. That undo is not acknowledged yet."),
                of("its command came after its undo, and that is acknowledged")
                        .when(desk -> {
                            desk.startAll();
                            desk.pause("billing", "Capture");
                            desk.order();
                            desk.sagas().fail("Buying", ID, "given up");
                            desk.pass(1);
                        })
                        .among("orders", "billing")
                        .says("had been handled before. That undo was acknowledged."),
                of("a reply was set aside, and its saga was made to fail and undoes its steps")
                        .when(desk -> {
                            desk.fails.put("Captured", unfit());
                            desk.replies(new Captured("1"));
                            desk.throwing("Refund", down());
                            desk.place();
                            desk.sagas().fail("Buying", ID, "given up");
                            desk.pass(1);
                        })
                        .among("orders", "billing")
                        .says(
                                "orders has set " + message("Captured") + " aside",
                                "It is left over: its saga has failed, and takes no more messages. Discard it if nobody has: a replay does nothing.")
                        .never("\"action\":\"replay\"")
                        .helps("\"action\":\"discard\",\"dryRun\":\"true\""),
                of("a command was set aside, and its saga was made to fail and waits for an undo that was set aside")
                        .when(desk -> {
                            desk.throwing("Pack", unfit());
                            desk.throwing("Refund", unfit());
                            desk.startAll();
                            desk.publish(new BuyAll("1"), ID);
                            desk.sagas().fail("Collecting", ID, "given up");
                            desk.pass(1);
                        })
                        .among("orders", "billing")
                        .says(
                                "an undo was set aside: `Refund` of step pay",
                                "billing has set " + message("Pack") + " aside at")
                        .never("\"action\":\"replay\"")
                        .usual("\"action\":\"retry\""),
                of("a command was set aside, and its saga has sent another in its place")
                        .when(desk -> {
                            desk.throwing("Pack", unfit());
                            desk.startAll();
                            desk.publish(new BuyAll("1"), ID);
                            desk.does.remove("Pack");
                            desk.publish(new Again("1"), ID);
                        })
                        .among("orders", "billing")
                        .says(
                                "it has forgotten it, or somebody else has sent the message. Replayed, it may be done twice.")
                        .never("\"action\":\"replay\""),
                of("a command was set aside that nobody waits for any more")
                        .when(desk -> {
                            desk.throwing("Capture", down());
                            desk.throwing("Refund", down());
                            desk.place();
                            desk.pass(15);
                            desk.pause("billing", "Refund");
                            desk.sagas().fail("Buying", ID, "given up");
                            desk.pass(20);
                        })
                        .says(
                                "It has sent `Refund`, the undo of step pay, at 00:00:16Z, and waits for its acknowledgement")
                        .never("is blocked on it")
                        .helps("safebunny/nodes", "safebunny/sagas/order-1"));
    }

    // ---- somebody has begun to repair it

    private static List<Cause> repairs() {
        return List.of(
                of("a step was skipped by hand")
                        .when(desk -> {
                            desk.place();
                            desk.sagas().skip("Buying", ID, "pay", "paid in cash");
                            desk.sagas().fail("Buying", ID, "given up");
                            desk.pass(1);
                        })
                        .says(
                                "failed (\"given up\"), and has ended; step pay was skipped by an operator, and no node has acknowledged that it was undone")
                        .helps("safebunny/sagas/order-1"),
                of("the step on which it was blocked was skipped by hand")
                        .when(desk -> {
                            desk.throwing("Capture", unfit());
                            desk.place();
                            desk.sagas().skip("Buying", ID, "pay", "paid in cash");
                            desk.pass(1);
                        })
                        .among("orders", "billing")
                        .says(
                                "Its step was skipped by an operator, as done by hand or not wanted. Discard it if nobody has: a replay is refused, and a forced one would do it all the same.",
                                "Its step pay was skipped by an operator: if its answer does not come all the same, the saga goes on only by something else.")
                        .never("\"action\":\"replay\""),
                of("it was resumed without what it was stuck on")
                        .when(desk -> {
                            desk.fails.put("Captured", unfit());
                            desk.replies(new Captured("1"));
                            desk.place();
                            desk.sagas().resume("Buying", ID, "mended");
                            desk.pass(1);
                        })
                        .says(
                                "Buying order-1 of orders has been active again since 00:00:01Z, when somebody resumed it.",
                                "has not taken these yet: `Captured`",
                                "orders has set " + message("Captured") + " aside")
                        .usual("")
                        .helps("safebunnypoison/", "\"action\":\"replay\",\"dryRun\":\"true\""),
                of("it was sent again twice, and was set aside again")
                        .when(StuckCausesTest::retryTwice)
                        .among("orders", "billing")
                        .first("Buying order-1 of orders has waited for a repair since 00:00:00Z: ")
                        .says(
                                "By hand, somebody has retried it twice, last at 00:00:03Z (\"it has a card now\"). What was sent again was set aside again.")
                        .usual("")
                        .helps("\"action\":\"retry\"", "\"action\":\"fail\""),
                of("it was sent again twice, as another node tells it")
                        .when(StuckCausesTest::retryTwice)
                        .among("billing", "orders")
                        .says(
                                "By hand, somebody has retried it twice, last at 00:00:03Z (ask orders who and why). What was sent again was set aside again.")
                        .never("it has a card now"),
                of("it was retried once, and something else was set aside later")
                        .when(desk -> {
                            desk.throwing("Pack", unfit());
                            desk.startAll();
                            desk.publish(new BuyAll("1"), ID);
                            desk.does.remove("Pack");
                            desk.sagas().retry("Collecting", ID, "packed");
                            desk.pass(1);
                            desk.throwing("Pack", unfit());
                            desk.publish(new Again("1"), ID);
                        })
                        .says("By hand, somebody has retried it once, at 00:00:01Z (\"packed\").")
                        .never("set aside again"),
                of("it was sent again, and fails again")
                        .when(desk -> {
                            desk.throwing("Capture", unfit());
                            desk.place();
                            desk.throwing("Capture", down());
                            desk.sagas().retry("Buying", ID, "the bank is open");
                            desk.pass(1);
                        })
                        .at("billing")
                        .says(
                                "billing has failed to handle " + message("Capture"),
                                "the gateway is down",
                                "The next attempt is due at")
                        .helps(),
                of("it was given up, and its record is of an ended saga")
                        .when(desk -> {
                            desk.fails.put("Captured", unfit());
                            desk.replies(new Captured("1"));
                            desk.place();
                            desk.sagas().fail("Buying", ID, "given up");
                            desk.pass(1);
                        })
                        .says(
                                "failed (\"given up\"), and has ended, with one step undone",
                                "It is left over: its saga has ended, and takes no more messages. Discard it if nobody has: a replay does nothing.")
                        .never("\"action\":\"replay\"")
                        .helps("safebunny/sagas/order-1", "safebunnypoison/", "\"action\":\"discard\""),
                of("two sagas have its id, and only one goes on")
                        .when(desk -> {
                            desk.replies(new Captured("1"));
                            desk.place();
                            desk.publish(new Watch("1"), ID);
                        })
                        .says(
                                "Buying order-1 of orders completed",
                                "Watching order-1 of orders has been active",
                                "has not taken these yet: `Seen` from billing",
                                "This type is not paused")
                        .helps("safebunny/sagas/order-1", "safebunny/nodes/billing"));
    }

    // ---- store, broker and outbox

    private static List<Cause> surroundings() {
        return List.of(
                of("the store is away")
                        .when(desk -> {
                            desk.place();
                            desk.store("orders").away("find", "findCorrelated", "findCorrelationIds");
                        })
                        .says(
                                "It could not be found out whether orders knows order-1: records of this correlation id: not looked at: the test wants it")
                        .never("Nothing is known", "It may be known to another node")
                        .helps("safebunnypoison/order-1", "safebunny/nodes"),
                of("the store has the messages, and its sagas cannot be read")
                        .when(desk -> {
                            desk.place();
                            desk.store("orders").away("find");
                        })
                        .says(
                                "At orders, the store did not answer when it was last called: ",
                                "orders, sagas: not looked at: the test wants it.",
                                "orders has handled one message of it: `PlaceOrder`.")
                        .helps(),
                of("a newer version has written its saga")
                        .when(desk -> {
                            desk.place();
                            desk.store("orders")
                                    .failing
                                    .put("find", key -> new UnreadableRecordException(key, "state NEW", null));
                        })
                        .says("orders, sagas: not looked at: ", "newer")
                        .never("does not answer", "did not answer")
                        .helps(),
                of("its node has no store")
                        .when(desk -> desk.world.start("bare", (MessageStore) null, List.of()))
                        .at("bare")
                        .says(
                                "It could not be found out whether bare knows order-1: records: not looked at: this node has no store.")
                        .helps("safebunnypoison/order-1", "safebunny/nodes"),
                of("the broker blocks publishers")
                        .when(desk -> {
                            desk.place();
                            desk.brokerAway = true;
                        })
                        .says("At orders, the broker cannot be used: blocked by the broker: memory alarm.")
                        .helps("safebunny/sagas/order-1"),
                of("it waits in the outbox")
                        .when(desk -> {
                            desk.startAll();
                            desk.outbox.rows.put(
                                    ID,
                                    List.of(new Outbox.Unsent(
                                            "m-1",
                                            "PlaceOrder",
                                            2,
                                            desk.world.timeline.now(),
                                            desk.world.timeline.now().plusSeconds(30))));
                        })
                        .at("storefront")
                        .says(
                                "`PlaceOrder` (m-1) has been in the outbox of storefront since 00:00:00Z, and the broker has not confirmed it: the relay has failed twice. It is sent at 00:00:30Z, if not before.")
                        .helps("safebunny/outbox", "safebunny/publisher"),
                of("nobody takes what it has published")
                        .when(desk -> {
                            desk.replies(new Gossip("1"));
                            desk.place();
                            desk.pass(6);
                        })
                        .at("billing")
                        .says(
                                "billing has handled " + message("Capture"),
                                "Its record does not say that the broker has " + message("Gossip"))
                        .helps("safebunny/publisher"),
                of("it is scheduled for later")
                        .when(desk -> schedule(desk, Duration.ofHours(2)))
                        .at("desk")
                        .says("desk has scheduled message * for 02:00:00Z.")
                        .never("has not been published yet")
                        .helps(),
                of("it was scheduled, and its time has passed")
                        .when(desk -> {
                            desk.world.losesDelayed = true;
                            schedule(desk, Duration.ofMinutes(10));
                            desk.world.timeline.advance(Duration.ofMinutes(10).plusMillis(1));
                        })
                        .at("desk")
                        .says("desk has scheduled message * for 00:10:00Z, and it has not been published yet.")
                        .helps("safebunny/publisher"),
                of("it was scheduled, and cancelled")
                        .when(desk -> {
                            String handle = schedule(desk, Duration.ofHours(2));
                            assertThat(desk.world
                                            .engine("desk")
                                            .get(ScheduledMessages.class)
                                            .cancel(handle))
                                    .isTrue();
                        })
                        .at("desk")
                        .says("Message *, which desk had scheduled, was cancelled.")
                        .helps());
    }

    /** With the correlation id that is asked for, in the handling of a message that the node has a record of. */
    private static String schedule(CauseDesk desk, Duration delay) {
        desk.world.schedules = true;
        List<String> handles = new ArrayList<>();
        desk.start("storefront");
        desk.world.start(
                "desk",
                List.of(SagaWorld.handler(
                        "storefront",
                        Note.class,
                        (payload, context) -> handles.add(desk.world
                                .engine("desk")
                                .get(ScheduledMessages.class)
                                .schedule(
                                        new Watch("later"),
                                        PublishOptions.none()
                                                .withCorrelationId(ID)
                                                .withDelay(delay))))));
        var unused = desk.world
                .bunny("storefront")
                .publish(new Note("1"), PublishOptions.none().withCorrelationId(ID));
        desk.world.settle();
        return handles.get(0);
    }

    // ---- nobody knows it

    private static List<Cause> unknown() {
        return List.of(
                of("nobody has ever heard of it")
                        .when(CauseDesk::startAll)
                        .about("nobody")
                        .says(
                                "Nothing is known of nobody at orders.",
                                "orders has looked at: records of this correlation id")
                        .helps("safebunnypoison/nobody", "safebunny/nodes"),
                of("it can be no id")
                        .when(CauseDesk::startAll)
                        .at("storefront")
                        .about("a b")
                        .says("Nothing is known of a b at storefront.", "storefront has nowhere to look")
                        .helps("safebunnypoison?messageId=a%20b", "safebunny/nodes"),
                of("it waits for its first delivery")
                        .when(desk -> {
                            desk.startAll();
                            desk.pause("billing", "Capture");
                            desk.order();
                        })
                        .at("billing")
                        .says("Nothing is known of order-1 at billing.", "wait in a queue for its first delivery")
                        .helps("safebunnypoison/order-1", "safebunny/nodes"),
                of("its search takes too long")
                        .when(desk -> {
                            desk.startAll();
                            desk.store("billing").away("findCorrelationIds");
                        })
                        .at("billing")
                        .about("m-7")
                        .says(
                                "It could not be found out whether billing knows m-7: records with this message id: not looked at")
                        .never("Nothing is known")
                        .helps("safebunnypoison/m-7", "safebunny/nodes"));
    }

    @ParameterizedTest
    @MethodSource("causes")
    void isNamedWithWhatHelps(Cause cause) {
        CauseDesk desk = new CauseDesk();
        cause.happens.accept(desk);
        Story story = desk.inHandler != null
                ? desk.inHandler
                : cause.all.isEmpty()
                        ? desk.story(cause.node, cause.id)
                        : desk.together(cause.all.toArray(String[]::new));
        String told = String.join("\n", story.sentences());

        assertThat(told).doesNotContainPattern(OURS);
        assertThat(story.timeline()).extracting(Story.Event::what).noneMatch(what -> OURS.matcher(what)
                .find());
        assertThat(story.next()).extracting(Command::why).noneMatch(why -> OURS.matcher(why)
                .find());
        for (String part : cause.says) {
            assertThat(told).containsPattern(pattern(part));
        }
        if (cause.first != null) {
            assertThat(story.sentences().get(0)).containsPattern("^" + pattern(cause.first));
        }
        if (cause.usual != null) {
            assertThat(story.next())
                    .filteredOn(command -> command.why().startsWith("the usual repair, "))
                    .extracting(Command::curl)
                    .hasSize(cause.usual.isEmpty() ? 0 : 1)
                    .allMatch(curl -> curl.contains(cause.usual));
        }
        List<String> curls = story.next().stream().map(Command::curl).toList();
        for (String part : cause.silent) {
            assertThat(told + curls).doesNotContain(part);
        }
        if (cause.helpsOnly) {
            assertHelps(cause, curls);
        }
    }

    private static String pattern(String part) {
        return Pattern.quote(part).replace("*", "\\E[A-Za-z0-9._:-]+\\Q");
    }

    private static void assertHelps(Cause cause, List<String> curls) {
        if (cause.helps.isEmpty()) {
            assertThat(curls).isEmpty();
            return;
        }
        int from = 0;
        for (String part : cause.helps) {
            while (from < curls.size() && !curls.get(from).contains(part)) {
                from++;
            }
            assertThat(from).as("%s, in this order, in %s", part, curls).isLessThan(curls.size());
        }
        assertThat(curls).last().asString().contains(cause.helps.get(cause.helps.size() - 1));
    }
}
