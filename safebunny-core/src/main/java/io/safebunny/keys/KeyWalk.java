// SPDX-License-Identifier: Apache-2.0
package io.safebunny.keys;

import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.keys.KeyFinder.Found;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.poison.replay.WholeQueue;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.StoredPage;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.transport.OutboundMessage;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One look at all places, in small parts, so that it keeps nobody from working. The poison queue is looked at first and last: what is replayed
 * meanwhile, or set aside, is seen once. Confined to one part at a time.
 */
final class KeyWalk {

    /** Records of one part. */
    static final int PART = 100;

    /** How often a part is asked for that the store does not give. */
    private static final int MOST_TRIES = 5;

    private static final List<Place> OF_RECORDS =
            List.of(Place.RECORDS, Place.STEPS, Place.ORDER, Place.SAGAS, Place.SCHEDULED, Place.OTHERS);

    private static final String NO_LIST =
            "this store cannot list all that it has: see MessageStore.findAll and Outbox.findAll";
    private static final String NEWER =
            "%s records that only a newer version of SafeBunny can read: ask an instance of it";

    private final Node node;
    private final KeyFinder finder;
    private final LookedPlaces places;
    private final Deque<Step> steps = new ArrayDeque<>();
    private int tries;

    /** What is done in one go. */
    private interface Step {
        /** @return what is left of it; {@code null} if nothing is */
        @Nullable
        Step run();
    }

    KeyWalk(Node node, WholeQueue poison, LookedPlaces places) {
        this.node = node;
        this.finder = new KeyFinder(node.parts().codecs());
        this.places = places;
        steps.add(() -> copies(Place.POISON, poison::setAside, places::add));
        steps.add(() -> copies(Place.ARCHIVE, poison::archived, places::add));
        MessageStore store = node.store();
        if (store != null) {
            OF_RECORDS.forEach(places::opens);
            steps.add(() -> rows(Place.RECORDS, null, store::findAll, this::record));
        }
        Outbox outbox = node.parts().outbox();
        if (outbox != null) {
            places.opens(Place.OUTBOX);
            steps.add(() -> rows(Place.OUTBOX, null, outbox::findAll, this::unsent));
        }
        steps.add(this::persons);
        steps.add(() -> copies(Place.POISON, poison::setAside, places::addAgain));
        steps.add(() -> copies(Place.ARCHIVE, poison::archived, places::addAgain));
    }

    /**
     * Looks at the next part.
     *
     * @return whether there is more
     * @throws StoreUnavailableException if the store does not answer: the part can be asked for again
     */
    boolean next() {
        Step step = steps.poll();
        if (step != null) {
            Step rest;
            try {
                rest = step.run();
            } catch (StoreUnavailableException e) {
                steps.addFirst(step);
                throw e;
            }
            if (rest != null) {
                steps.addFirst(rest);
            }
        }
        return !steps.isEmpty();
    }

    private @Nullable Step copies(
            Place place, Function<Consumer<WireMessage>, @Nullable String> look, BiConsumer<Place, Found> noting) {
        places.opens(place);
        String incomplete = look.apply(copy -> noting.accept(place, finder.in(copy)));
        if (incomplete != null) {
            places.incomplete(place, incomplete);
        }
        return null;
    }

    private <T> @Nullable Step rows(
            Place place,
            @Nullable String after,
            BiFunction<@Nullable String, Integer, @Nullable StoredPage<T>> store,
            Consumer<T> each) {
        StoredPage<T> page;
        try {
            page = store.apply(after, PART);
        } catch (StoreUnavailableException e) {
            if (++tries < MOST_TRIES) {
                throw e;
            }
            incomplete(place, "the store did not answer, %s times in a row: look again when it does".formatted(tries));
            tries = 0;
            return null;
        }
        tries = 0;
        if (page == null) {
            incomplete(place, NO_LIST);
            return null;
        }
        page.rows().forEach(each);
        places.fault(place, page.unreadable(), NEWER);
        String next = page.next();
        return next == null ? null : () -> rows(place, next, store, each);
    }

    /** All that is among the records, which are read together. */
    private void incomplete(Place place, String why) {
        (place == Place.RECORDS ? OF_RECORDS : List.of(place)).forEach(each -> places.incomplete(each, why));
    }

    private void record(MessageRecord record) {
        places.add(KeyFinder.placeOf(record), finder.in(record));
    }

    private void unsent(OutboundMessage message) {
        places.add(Place.OUTBOX, finder.in(message.message()));
    }

    private @Nullable Step persons() {
        try {
            Map<String, Long> kept = node.parts().codecs().keepsUnder();
            if (kept == null) {
                places.incomplete(
                        Place.PERSONS,
                        "their place does not tell: look into it, and see SubjectKeys.countByWrappingKey");
            } else {
                places.opens(Place.PERSONS);
                kept.forEach((key, count) -> places.uses(Place.PERSONS, key, count));
            }
        } catch (KeysUnavailableException e) {
            places.incomplete(Place.PERSONS, "their place does not answer: look again when it does");
        }
        return null;
    }
}
