// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.search;

import io.safebunny.failure.SafeBunnyException;
import io.safebunny.failure.details.Printable;
import io.safebunny.story.NodeStory.Looked;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** Notes where was looked and what was found. A place that does not answer is noted, too: the rest of the story can still be told. */
final class Looks {

    private final List<Looked> looked = new ArrayList<>();

    /** @return what was found; empty if the place does not answer */
    <T> List<T> at(String where, Supplier<List<T>> look) {
        try {
            List<T> found = look.get();
            looked.add(new Looked(where, found.size(), null));
            return found;
        } catch (SafeBunnyException e) {
            looked.add(new Looked(where, 0, "not looked at: " + Printable.text(e.messageWithoutCode())));
        } catch (RuntimeException e) { // a store of the application may throw anything
            looked.add(new Looked(
                    where, 0, "not looked at: it failed with " + e.getClass().getName()));
        }
        return List.of();
    }

    void notAt(String where, String why) {
        looked.add(new Looked(where, 0, "not looked at: " + why));
    }

    /** What was found there may not be all. */
    void cut(String where, String why) {
        looked.add(new Looked(where, 0, why));
    }

    /** Each place once: what was looked at several times is added up. */
    List<Looked> all() {
        List<Looked> all = new ArrayList<>();
        for (Looked look : looked) {
            int before = indexOf(all, look);
            if (before < 0) {
                all.add(look);
            } else {
                all.set(before, new Looked(look.where(), all.get(before).found() + look.found(), look.note()));
            }
        }
        return all;
    }

    private static int indexOf(List<Looked> all, Looked look) {
        for (int i = 0; i < all.size(); i++) {
            Looked other = all.get(i);
            if (other.where().equals(look.where()) && Objects.equals(other.note(), look.note())) {
                return i;
            }
        }
        return -1;
    }
}
