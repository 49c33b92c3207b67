// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.poison.PoisonGroup;
import io.safebunny.poison.PoisonOperation.Groups;
import io.safebunny.poison.PoisonedMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Groups copies by type, reason and exception. Not thread-safe. */
final class CopyGroups {

    private static final int MOST = 1_000;
    private static final int LONGEST = 250;
    private static final int EXAMPLES = 3;

    private final int most;
    private final int longest;
    private final Map<Key, Group> groups = new LinkedHashMap<>();
    /** Of the groups with one copy, the oldest first. */
    private final Set<Key> singles = new LinkedHashSet<>();

    private int others;
    private boolean forgotten;

    private CopyGroups(int most, int longest) {
        this.most = most;
        this.longest = longest;
    }

    /** For as many copies as there may be: keeps a bounded number of groups, and counts the rest. */
    static CopyGroups ofMany() {
        return new CopyGroups(MOST, LONGEST);
    }

    /** For copies that are kept anyway. */
    static CopyGroups of(List<PoisonedMessage> copies) {
        CopyGroups all = new CopyGroups(Integer.MAX_VALUE, Integer.MAX_VALUE);
        copies.forEach(all::add);
        return all;
    }

    void add(PoisonedMessage copy) {
        Key key = new Key(copy.type(), copy.reason(), copy.exceptionType());
        Group group = groups.get(key);
        if (group != null) {
            singles.remove(key);
            group.add(copy);
        } else if (key.isAtMost(longest) && hasRoom()) {
            group = new Group();
            group.add(copy);
            groups.put(key, group);
            singles.add(key);
        } else {
            others++;
        }
    }

    /** Whoever has messages of invented types set aside must not fill all places. */
    private boolean hasRoom() {
        if (groups.size() < most) {
            return true;
        }
        Iterator<Key> oldest = singles.iterator();
        if (!oldest.hasNext()) {
            return false;
        }
        groups.remove(oldest.next());
        oldest.remove();
        others++;
        return true;
    }

    void forget() {
        forgotten |= !groups.isEmpty();
        groups.clear();
        singles.clear();
    }

    int size() {
        return groups.size();
    }

    /** Largest first; the order of equal ones never changes. */
    Groups told() {
        List<PoisonGroup> told = new ArrayList<>();
        groups.forEach((key, group) -> told.add(group.told(key)));
        told.sort(Comparator.comparingInt(PoisonGroup::copies).reversed());
        return new Groups(told, others, forgotten);
    }

    private record Key(String type, String reason, String exception) {

        boolean isAtMost(int longest) {
            return type.length() <= longest && reason.length() <= longest && exception.length() <= longest;
        }
    }

    private static final class Group {

        private final List<String> examples = new ArrayList<>(EXAMPLES);
        private int copies;
        private int replayable;
        private @Nullable Instant first;
        private @Nullable Instant last;

        void add(PoisonedMessage copy) {
            copies++;
            replayable += copy.verdict().isReplayed() ? 1 : 0;
            Instant at = copy.poisonedAt();
            if (at != null) {
                first = first == null || at.isBefore(first) ? at : first;
                last = last == null || at.isAfter(last) ? at : last;
            }
            String id = copy.messageId();
            if (examples.size() < EXAMPLES && !id.isEmpty() && id.length() <= LONGEST && !examples.contains(id)) {
                examples.add(id);
            }
        }

        PoisonGroup told(Key key) {
            return new PoisonGroup(key.type, key.reason, key.exception, copies, replayable, first, last, examples);
        }
    }
}
