// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.store.record.Trail;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Moved;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.exchange.HandMoves;
import io.safebunny.story.exchange.HandMoves.Move;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Says what people did with the copies of messages that were set aside, and what came of that. */
final class CopySentences {

    /** Replays of one message, and as many of its discards and restores. The timeline has all of them. */
    private static final int MOST_TOLD = 5;

    private final HandMoves moves;
    private final Replays replays;
    private final Words words;
    private final Receivers receivers;

    CopySentences(List<NodeStory> parts, Replays replays, Words words, Receivers receivers) {
        this.moves = new HandMoves(parts);
        this.replays = replays;
        this.words = words;
        this.receivers = receivers;
    }

    Replays replays() {
        return replays;
    }

    /** Whether its latest copy is known to have gone to the archive. */
    boolean isDiscarded(NodeStory part, Message message) {
        return moves.isDiscarded(part.node(), message);
    }

    /** Whether the archive does not keep its latest copy any more. */
    boolean isGone(NodeStory part, Message message) {
        return moves.discard(part.node(), message)
                .map(discard -> discard.moved().keptUntil())
                .filter(words::isPast)
                .isPresent();
    }

    /** How somebody has replayed what is set aside, in vain; empty if nobody has. */
    String tried(Message message) {
        int times = moves.replayed(message);
        return times == 0
                ? ""
                : "was replayed by hand %s, and failed again at %s"
                        .formatted(
                                Words.times(times),
                                words.at(last(message.failures()).at()));
    }

    /** That it was replayed, discarded and restored. */
    List<String> sentences(NodeStory part, Message message) {
        List<String> sentences = new ArrayList<>(replayed(part, message));
        sentences.addAll(discardsAndRestores(part, message));
        return sentences;
    }

    // ---- replays

    /** At most one sentence. */
    private List<String> replayed(NodeStory part, Message message) {
        List<Move> known = moves.replays(part.node(), message);
        int times = Math.max(moves.replayed(message), known.size());
        if (times == 0) {
            return List.of();
        }
        String replayed = "By hand, somebody has replayed %s %s%s%s"
                .formatted(
                        Words.message(message.type(), message.id()),
                        message.failures().size() < Trail.MOST_FAILURES ? "" : "at least ",
                        Words.times(times),
                        when(latest(known), times));
        if (message.state() != State.SET_ASIDE) {
            return List.of("%s, and %s has handled it.".formatted(replayed, Words.text(part.node())));
        }
        List<Failure> failures = message.failures();
        if (failures.isEmpty() || (!known.isEmpty() && !HandMoves.isBefore(last(known), last(failures)))) {
            return List.of("%s: its record does not tell yet what has come of that.".formatted(replayed));
        }
        return List.of("%s, and it failed again, at %s.%s"
                .formatted(replayed, words.at(last(failures).at()), advice(part, message)));
    }

    private String when(List<Move> known, int times) {
        String all = Words.join(known.stream().map(this::at).toList(), "and");
        if (known.isEmpty() || known.size() == times) {
            return known.isEmpty() ? "" : ", " + all;
        }
        return ", the last %s %s".formatted(known.size() == 1 ? "time" : known.size() + " times", all);
    }

    private String advice(NodeStory part, Message message) {
        return !replays.isStuckOn(message)
                ? ""
                : " %s it again only once the cause is mended; if that cannot be, %s."
                        .formatted(
                                isDiscarded(part, message) ? "Restore and replay" : "Replay",
                                replays.isIdleOnceResumed(part, message, words, receivers)
                                        ? "fail the saga: resumed without it, the saga would wait for nothing"
                                        : "resume the saga without it, or fail it");
    }

    // ---- discards and restores

    List<String> discardsAndRestores(NodeStory part, Message message) {
        boolean isSetAside = message.state() == State.SET_ASIDE;
        List<Move> before = new ArrayList<>();
        List<Move> since = new ArrayList<>();
        for (Move move : moves.discardsAndRestores(part.node(), message)) {
            (isSetAside && !HandMoves.isSinceSetAside(move, message) ? before : since).add(move);
        }
        if (since.stream().allMatch(move -> move.moved().older())) { // and the newer one was not touched
            before.addAll(since);
            since.clear();
        }
        String name = Words.message(message.type(), message.id());
        List<String> sentences = new ArrayList<>();
        if (!before.isEmpty()) {
            boolean isLeft =
                    isSetAside && since.isEmpty() && last(before).moved().kind() == Moved.Kind.DISCARDED;
            sentences.add(moved(before, "An older copy of " + name, "Older copies of " + name)
                    + (isLeft ? "; the newer one may still be in the poison queue." : "."));
        }
        if (!since.isEmpty()) {
            String moved = moved(since, "The copy of " + name, "Copies of " + name);
            sentences.add(
                    moved + (isDiscarded(part, message) ? archived(message, last(since), areMany(since)) : "") + '.');
        }
        return sentences;
    }

    /** What is known of it: it may have been restored through an instance that does not remember it. */
    private String archived(Message message, Move last, boolean areMany) {
        Instant until = last.moved().keptUntil();
        if (until != null && words.isPast(until)) {
            return ": the archive kept %s until %s, unless restored"
                    .formatted(areMany ? "them" : "it", words.at(until));
        }
        String in = ": unless restored since, %s in the archive until %s"
                .formatted(
                        areMany ? "they are" : "it is",
                        until == null ? "safebunny.poison.archive-ttl is over" : words.at(until));
        return switch (message.state()) {
            case HANDLED, UNSENT -> in + ", and the message has been handled";
            case SET_ASIDE ->
                in
                        + ", and can be restored from there"
                        + (replays.isUnwanted(message)
                                ? ", but nobody wants %s any more".formatted(areMany ? "them" : "it")
                                : "");
            case HANDLING, WAITING, UNDONE, EXPIRED, SHREDDED -> in;
        };
    }

    private String moved(List<Move> all, String one, String many) {
        List<List<Move>> groups = groups(all);
        boolean areTogether = areMany(all) && groups.size() == 1;
        List<String> told = latest(groups).stream()
                .map(group -> "%s%s %s"
                        .formatted(
                                group.get(0).moved().kind().name().toLowerCase(Locale.ROOT),
                                group.size() == 1 || areTogether ? "" : " (" + group.size() + ')',
                                at(group.get(0))))
                .toList();
        return "%s %s%s"
                .formatted(
                        areTogether
                                ? "%s %s were"
                                        .formatted(
                                                all.size(), Character.toLowerCase(many.charAt(0)) + many.substring(1))
                                : areMany(all) ? many + " were" : one + " was",
                        told.size() == groups.size() ? "" : "moved %s, lately ".formatted(Words.times(groups.size())),
                        Words.join(told, "and"));
    }

    /** One copy is not discarded twice without a restore, nor the other way round. */
    private static boolean areMany(List<Move> all) {
        for (int i = 1; i < all.size(); i++) {
            if (all.get(i).moved().kind() == all.get(i - 1).moved().kind()) {
                return true;
            }
        }
        return false;
    }

    /** Those that were moved together. */
    private List<List<Move>> groups(List<Move> all) {
        List<List<Move>> groups = new ArrayList<>();
        for (Move move : all) {
            List<Move> last = groups.isEmpty() ? null : last(groups);
            if (last != null
                    && last.get(0).moved().kind() == move.moved().kind()
                    && at(last.get(0)).equals(at(move))) {
                last.add(move);
            } else {
                groups.add(new ArrayList<>(List.of(move)));
            }
        }
        return groups;
    }

    // ---- what was handled meanwhile

    /** What was set aside, and handled because its saga had sent it again. At most one sentence. */
    List<String> left(NodeStory part, Advice advice) {
        List<Message> left = part.messages().stream()
                .filter(moves::leavesCopy)
                .filter(message -> !isDiscarded(part, message))
                .toList();
        left.stream().map(Message::correlationId).distinct().forEach(id -> advice.discardDone(part.node(), id));
        return left.isEmpty()
                ? List.of()
                : List.of(
                        "What %s had set aside of it before it was sent again and handled (%s) may still lie in its poison queue: discard it if nobody has."
                                .formatted(
                                        Words.text(part.node()),
                                        Words.counted(left, message -> Words.type(message.type()))));
    }

    // ---- words

    /** When, and by whom and why as far as that is told. */
    private String at(Move move) {
        Moved moved = move.moved();
        String by = moved.by();
        String reason = moved.reason();
        String withheld = reason == null ? receivers.withheld(move.part()) : "";
        return "at %s%s%s%s"
                .formatted(
                        words.at(moved.at()),
                        by == null ? "" : " by " + Words.text(by),
                        reason == null ? "" : " (" + Words.quoted(reason) + ')',
                        withheld.isEmpty() ? "" : " (%s who and why)".formatted(withheld));
    }

    private static <T> List<T> latest(List<T> all) {
        return all.subList(Math.max(0, all.size() - MOST_TOLD), all.size());
    }

    private static <T> T last(List<T> all) {
        return all.get(all.size() - 1);
    }
}
