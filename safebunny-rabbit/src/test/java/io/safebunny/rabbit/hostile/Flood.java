// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.rabbit.hostile.Effects.Line;
import io.safebunny.rabbit.hostile.Effects.Note;
import io.safebunny.rabbit.hostile.Effects.Order;
import io.safebunny.rabbit.hostile.Effects.Seen;
import io.safebunny.rabbit.hostile.HostileMessage.Property;
import io.safebunny.rabbit.hostile.RawClient.Answer;
import io.safebunny.rabbit.hostile.Routes.Way;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** What an attacker sends, and how many of it the broker took. Not thread-safe. */
final class Flood {

    private static final int UNCONFIRMED = 500;
    private static final int MOST_WRONG = 3;

    /** Opens a connection as the attacker. */
    @FunctionalInterface
    interface Connecting {
        RawClient connect() throws IOException;
    }

    private final Connecting connecting;
    private final String attacker;
    private final String victim;
    private final Routes routes;
    private final Effects effects;
    private final Predicate<Kind> survived;
    private final Map<Answer, List<Kind>> answers = new EnumMap<>(Answer.class);
    private int number;
    private long taken;

    /** @param survived whether the broker itself can do with it what it does with others */
    Flood(Connecting connecting, String victim, String attacker, Effects effects, Predicate<Kind> survived) {
        this.survived = survived;
        this.connecting = connecting;
        this.attacker = attacker;
        this.victim = victim;
        this.routes = new Routes(victim, attacker);
        this.effects = effects;
    }

    RawClient connect() throws IOException {
        return connecting.connect();
    }

    /** Everything that can be wrong, one at a time, and every way. */
    void one(List<Kind> kinds) throws IOException {
        RawClient client = connecting.connect();
        try {
            for (Kind kind : kinds) {
                Answer answer = client.ask(kind.of(next()));
                answers.computeIfAbsent(answer, first -> new ArrayList<>()).add(kind);
                taken += answer == Answer.TAKEN ? 1 : 0;
                if (!client.isOpen()) {
                    client.close();
                    client = connecting.connect();
                }
            }
            for (Way way : routes.all()) {
                taken += client.ask(way.of(next())) == Answer.TAKEN ? 1 : 0;
            }
        } finally {
            client.close();
        }
    }

    /** So many in random order, of what the broker takes, each with a few things wrong; and ordinary orders and notes among them. */
    List<CompletableFuture<Published>> many(int bad, int good, Bunny shop, Random random) throws IOException {
        List<Kind> known = answers.getOrDefault(Answer.TAKEN, List.of()).stream()
                .filter(survived)
                .toList();
        List<CompletableFuture<Published>> published = new ArrayList<>();
        try (RawClient client = connecting.connect()) {
            for (int i = 0; i < bad; i++) {
                while (published.size() <= (long) i * good / bad) {
                    published.add(publish(shop, published.size()));
                }
                HostileMessage message = any(known, random);
                boolean fits = message.encodedProperties().length <= client.largestProperties();
                client.pour(fits ? message : next(), UNCONFIRMED);
            }
            client.awaitConfirms(0);
            taken += bad - client.returned() - client.nacked();
        }
        return published;
    }

    private HostileMessage any(List<Kind> known, Random random) {
        Seen seen = random.nextInt(40) == 0 ? effects.seen().poll() : null;
        if (seen != null) {
            return echo(seen, random);
        }
        Way way = routes.any(random);
        HostileMessage message = next();
        boolean large = false;
        for (int wrong = 1 + random.nextInt(MOST_WRONG); wrong > 0; wrong--) {
            Kind kind = known.get(random.nextInt(known.size()));
            boolean fits = !kind.isLarge() || (!large && wrong == 1 && random.nextInt(4) == 0);
            if (fits && (way.toHandler() || !kind.isOnlyForHandlers())) {
                message = kind.of(message);
                large |= kind.isLarge();
            }
        }
        return way.of(message);
    }

    /** Under the id of a message that was handled: the same bytes, or others, perhaps as if an operator had replayed it. */
    private HostileMessage echo(Seen seen, Random random) {
        String body = seen.type().equals("Payment") && random.nextBoolean()
                ? "{\"id\":\"%s\",\"cents\":%d}".formatted(seen.payloadId(), Effects.cents(seen.payloadId()))
                : "{\"id\":\"echo\",\"cents\":1,\"lines\":[],\"content\":{}}";
        HostileMessage echo = next().with(Property.MESSAGE_ID, seen.id())
                .with(Property.CORRELATION_ID, seen.correlationId())
                .with(Property.TYPE, seen.type())
                .withBody(Octets.utf8(body))
                .to("safebunny.retry", victim + "-" + seen.type());
        return random.nextBoolean()
                ? echo
                : echo.withHeader("sb-poisoned-at", Octets.number('l', 8, System.currentTimeMillis()));
    }

    private HostileMessage next() {
        return HostileMessage.of(attacker, number++);
    }

    static CompletableFuture<Published> publish(Bunny shop, int i) {
        PublishOptions options =
                PublishOptions.none().withCorrelationId("saga-" + i % 40).withHeader("tenant", "t" + i);
        return i % 3 == 2
                ? shop.publishAsync(new Note("n" + i, Map.of("text", "note " + i)), options)
                : shop.publishAsync(
                        new Order("o" + i, i, List.of(new Line("carrot", i))), options.withIdempotencyKey("key-" + i));
    }

    /** Messages that reached a queue. */
    long taken() {
        return taken;
    }

    Map<Answer, List<Kind>> answers() {
        return answers;
    }
}
