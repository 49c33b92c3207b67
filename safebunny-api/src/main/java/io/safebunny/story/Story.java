// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What nodes know of one id, joined. Immutable; can be written as JSON.
 *
 * @param id what was asked for
 * @param asOf when, by the clock of the instance that asked
 * @param problem why other nodes could not be asked or heard; {@code null} if they could, as far as is known
 * @param sentences what has happened and what is waited for, the most important first; times are UTC
 * @param next what helps now: requests that look, then those that repair, at last those that give something up or end what somebody wanted;
 *     may be empty
 * @param timeline the latest 1,000 events in the order of time, and those of the same millisecond in that of cause and effect as far as that is
 *     known; with what is expected at its end
 * @param nodes what each node knows: first the instance that was asked, then one part for each other node; more, if its instances know
 *     different things. The parts of other instances have no texts that people or exceptions have written, and nothing proves them
 * @param asked who was asked, by node and instance, with those that have not answered
 */
public record Story(
        String id,
        Instant asOf,
        @Nullable String problem,
        List<String> sentences,
        List<Command> next,
        List<Event> timeline,
        List<NodeStory> nodes,
        List<Asked> asked) {

    private static final Pattern ANYWHERE = Pattern.compile("\\$\\{ACTUATOR:-[^}]*}");

    public Story {
        sentences = List.copyOf(sentences);
        String own = nodes.isEmpty() ? "" : nodes.get(0).node();
        next = next.stream().map(command -> addressed(command, own)).toList();
        timeline = timeline.stream().sorted(Event.IN_ORDER).toList();
        nodes = List.copyOf(nodes);
        asked = List.copyOf(asked);
    }

    /**
     * An instance that was asked, or a node that should be there and of which none is known.
     *
     * @param instance empty if no instance of the node was heard within a day
     * @param version of SafeBunny; empty if unknown
     * @param answered whether it has told what it knows, or that it knows nothing
     * @param lastHeard by the clock of the instance that asked; {@code null} if not within a day
     * @param note why it has not answered, or what its answer may lack; {@code null} if there is nothing to say
     */
    public record Asked(
            String node,
            String instance,
            String version,
            boolean answered,
            @Nullable Instant lastHeard,
            @Nullable String note) {}

    /**
     * Something that happened, or that will if nothing comes between.
     *
     * @param at by the clock of the node, or of its store
     * @param node where
     * @param subject id of the message, or name and id of the saga
     * @param what in words
     * @param from the node that published the message; {@code null} if nobody who was asked knows it, or it is not about a message
     * @param expected whether it has not happened yet
     */
    public record Event(
            Instant at,
            String node,
            String subject,
            String what,
            @Nullable String from,
            boolean expected) {

        public Event {
            at = at.truncatedTo(ChronoUnit.MILLIS); // as precise as any of its sources
        }

        /** By time. What has the same time stays in the order in which it was given: causes first. */
        static final Comparator<Event> IN_ORDER =
                Comparator.comparing(Event::expected).thenComparing(Event::at);
    }

    /**
     * A request to an endpoint that shows more, or that helps.
     *
     * @param why what it is for
     * @param node whose endpoint it is
     * @param curl to be run in a shell; {@code ACTUATOR} says where the endpoints are, if not at {@code
     *     http://localhost:8080/actuator}. In a story, a request to another node than the one that was asked has a variable of its own in the
     *     place of that, such as {@code ACTUATOR_BILLING}: without it the shell names that node, and asks nobody
     */
    public record Command(String why, String node, String curl) {}

    /** The sentences and what helps, to be read in a terminal: no text can begin a line of its own. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        sentences.forEach(sentence -> text.append(inLine(sentence)).append('\n'));
        if (!next.isEmpty()) {
            text.append("\nWhat helps:\n");
        }
        next.forEach(command -> text.append("\n# on node ")
                .append(inLine(command.node()))
                .append(": ")
                .append(inLine(command.why()))
                .append('\n')
                .append(inLine(command.curl()))
                .append('\n'));
        return text.toString();
    }

    /** The request, which a shell refuses to send for another node than the one that was asked, until somebody says where that is. */
    private static Command addressed(Command command, String own) {
        if (command.node().equals(own)) {
            return command;
        }
        String node = command.node().replaceAll("[^A-Za-z0-9._-]", "_"); // whatever somebody else claims to be
        String variable = "ACTUATOR_" + node.toUpperCase(Locale.ROOT).replaceAll("[.-]", "_");
        String curl = ANYWHERE.matcher(command.curl())
                .replaceFirst(Matcher.quoteReplacement(
                        "${%s:?set it to where the endpoints of node %s are}".formatted(variable, node)));
        return new Command(command.why(), command.node(), curl);
    }

    private static String inLine(String text) {
        return text.replaceAll("[\\p{Cntrl}\u0085\u2028\u2029]", " ");
    }

    /** As a sequence diagram of Mermaid. All texts are escaped: none can become part of the diagram's grammar. */
    public String toMermaid() {
        return SequenceDiagram.of(this);
    }
}
