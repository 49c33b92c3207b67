// SPDX-License-Identifier: Apache-2.0
package io.safebunny.keys;

import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.keys.KeyLook.Looked;
import io.safebunny.message.Names;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.poison.replay.WholeQueue;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells which keys this instance of a node still needs: looks at all that the node keeps, in the background, one look at a time. Needs no key. Thread-safe.
 */
public final class KeysInUse implements NodeFeature {

    private static final Logger LOG = LoggerFactory.getLogger(KeysInUse.class);

    /** Between two parts, so that it takes little of the store's time. */
    static final Duration PAUSE = Duration.ofMillis(50);

    /** Before a part is asked for again that the store has not given. */
    static final Duration AWAY = Duration.ofSeconds(5);

    /** By how much clocks may differ. */
    private static final Duration CLOCKS = Duration.ofHours(1);

    private static final String NO_THREAD = "there was no thread for it: begin another look";
    private static final String STOPPED = "the look was ended, because the node stops: begin another one";

    private final Node node;
    private final String instance;
    private final WholeQueue poison;

    private @Nullable LookedPlaces latest; // guarded by this
    private boolean isRunning; // guarded by this
    private volatile boolean isStopped;

    /** @param instance which one of the node this is, for people */
    public KeysInUse(Node node, String instance, WholeQueue poison) {
        this.node = node;
        this.instance = instance;
        this.poison = poison;
    }

    @Override
    public List<Object> offers() {
        return List.of(this);
    }

    @Override
    public void stopConsuming() {
        isStopped = true;
    }

    /** Begins to look, unless a look is running. What was found before is forgotten. */
    public synchronized KeyLook begin() {
        LookedPlaces present = latest;
        if (present == null || !isRunning) {
            LookedPlaces begun = new LookedPlaces(node.timeline().now());
            latest = begun;
            isRunning = true;
            present = begun;
            goOn(new KeyWalk(node, poison, begun), begun, Duration.ZERO);
        }
        return present.soFar();
    }

    /** The latest look, which may be running; {@code null} if there was none since the start. */
    public synchronized @Nullable KeyLook latest() {
        return latest == null ? null : latest.soFar();
    }

    private void goOn(KeyWalk walk, LookedPlaces places, Duration pause) {
        try {
            node.timeline().schedule(Purpose.UPKEEP, pause, () -> work(walk, places));
        } catch (RuntimeException | OutOfMemoryError e) {
            broken(places, NO_THREAD);
        }
    }

    private void work(KeyWalk walk, LookedPlaces places) {
        try {
            node.workers().execute(() -> part(walk, places));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            broken(places, NO_THREAD);
        }
    }

    private void part(KeyWalk walk, LookedPlaces places) {
        if (isStopped) {
            broken(places, STOPPED);
            return;
        }
        try {
            if (walk.next()) {
                goOn(walk, places, PAUSE);
            } else {
                end(places);
            }
        } catch (StoreUnavailableException e) {
            goOn(walk, places, AWAY);
        } catch (RuntimeException | Error e) { // nobody else ends it
            broken(
                    places,
                    "it failed (%s), see the log: begin another look"
                            .formatted(e.getClass().getName()));
            LOG.warn("The look for keys in use failed", node.log().tellable(e));
        }
    }

    private void broken(LookedPlaces places, String why) {
        places.breaksOff(why);
        end(places);
    }

    private synchronized void end(LookedPlaces places) {
        places.ends(node.timeline().now());
        isRunning = false;
    }

    /** The keys with which this instance encrypts now. */
    public List<String> encryptsWith() {
        return List.copyOf(node.parts().codecs().encodesWith());
    }

    /**
     * Whether this node still needs a key, as far as this instance knows: as the latest look has it.
     *
     * @param unsentSince since when no node has sent anything under the key, and nothing delayed under it was due; {@code null} if that is not
     *     known
     */
    public KeyVerdict verdict(String key, @Nullable Instant unsentSince) {
        Map<Place, Long> used = new EnumMap<>(Place.class);
        List<String> unknown = new ArrayList<>();
        KeyLook look = latest();
        if (look == null) {
            unknown.add("nothing was looked at yet: begin a look");
        } else {
            used.putAll(look.found().getOrDefault(key, Map.of()));
            if (look.endedAt() == null) {
                unknown.add("the look is still running: ask again later");
            }
            unknown.addAll(incomplete(look));
            String queues = queues(look, unsentSince);
            if (queues != null) {
                unknown.add(Place.QUEUES.words() + ": " + queues);
            }
        }
        if (encryptsWith().contains(key)) {
            used.put(Place.THIS_INSTANCE, 1L);
        }
        String misspelled = used.isEmpty() && look != null ? misspelled(key, look) : null;
        if (misspelled != null) {
            unknown.add(0, misspelled);
        }
        boolean removable = used.isEmpty() && unknown.isEmpty();
        return new KeyVerdict(key, removable, used, unknown, sentence(key, used, unknown, look));
    }

    /** Each reason once, after its places. */
    private static List<String> incomplete(KeyLook look) {
        Map<String, String> places = new LinkedHashMap<>();
        for (Looked looked : look.places()) {
            if (looked.incomplete() != null) {
                places.merge(looked.incomplete(), looked.place().words(), "%s, %s"::formatted);
            }
        }
        return places.entrySet().stream()
                .map(reason -> reason.getValue() + ": " + reason.getKey())
                .toList();
    }

    /**
     * What nobody has seen is not in use under this spelling: the key may be known by another one.
     *
     * @return {@code null} if there is a key of this id
     */
    private @Nullable String misspelled(String key, KeyLook look) {
        try {
            if (node.parts().codecs().knowsKey(key)) {
                return null;
            }
        } catch (KeysUnavailableException e) {
            return "whether there is a key of this id: the KeyProvider does not answer, ask again when it does";
        }
        Set<String> seen = new TreeSet<>(look.found().keySet());
        seen.addAll(encryptsWith());
        return "no key of this id was found, and the KeyProvider has none: check its spelling, or it was removed before. Ids found here: %s"
                .formatted(
                        seen.isEmpty()
                                ? "none"
                                : seen.stream().map(Names::printable).collect(Collectors.joining(", ")));
    }

    /**
     * No queue can be searched. But a message that is older than the retention is refused before its body is opened, so that none needs the key
     * once nothing was sent, or due, for so long: what is delayed counts as sent when it is due.
     *
     * @return why queues may need the key, and what to do; {@code null} if they cannot
     */
    private @Nullable String queues(KeyLook look, @Nullable Instant unsentSince) {
        if (node.store() == null) {
            return "they cannot be searched, and without a store messages of any age are handled: remove the key when they have been empty";
        }
        Duration wait = node.options().retention().plus(CLOCKS);
        if (unsentSince == null) {
            return "they cannot be searched. Tell with unsentSince since when nothing was sent under this key by any node, and nothing delayed was due: safebunny.dedup.retention (%s) and an hour later, none of it is handled any more, so look again then"
                    .formatted(node.options().retention());
        }
        Instant broughtBack = poison.broughtBackAt();
        if (broughtBack != null && broughtBack.isAfter(unsentSince)) {
            return "they cannot be searched, and this instance has replayed, edited or restored messages since, at %s, which counts as a sending: ask with the time of the last one at any instance"
                    .formatted(broughtBack);
        }
        Instant from = unsentSince.plus(wait);
        return look.begunAt().isBefore(from)
                ? "they cannot be searched, and what was sent or due under it before %s may be handled until %s: look again then"
                        .formatted(unsentSince, from)
                : null;
    }

    private String sentence(String key, Map<Place, Long> used, List<String> unknown, @Nullable KeyLook look) {
        String name = Names.printable(key);
        if (!used.isEmpty()) {
            return "%s is in use at instance %s of node %s: %s."
                    .formatted(
                            name,
                            instance,
                            node.name(),
                            used.entrySet().stream()
                                    .map(place -> place.getKey() == Place.THIS_INSTANCE
                                            ? place.getKey().words()
                                            : "%s (%s)".formatted(place.getKey().words(), place.getValue()))
                                    .collect(Collectors.joining(", ")));
        }
        if (!unknown.isEmpty() || look == null) {
            return "It is not known whether %s can be removed at instance %s of node %s. Unknown: %s."
                    .formatted(name, instance, node.name(), String.join(". ", unknown));
        }
        return "%s can be removed at instance %s of node %s: nothing needs it at any place that this instance knows, looked at from %s to %s. Ask each instance of the node."
                .formatted(name, instance, node.name(), look.begunAt(), look.endedAt());
    }
}
