// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What one sentence of a story says, without its words: a shape, and its values by name. {@code of} is what "it" and "its" stand for: the
 * saga or message that was named last.
 */
record Fact(String shape, Map<String, String> values) {

    private static final Pattern TIME = Pattern.compile("(?:(\\d{4}-\\d\\d-\\d\\d) )?(\\d\\d:\\d\\d:\\d\\dZ)");
    private static final Pattern GROUP = Pattern.compile("\\(\\?<(\\w+)>");
    private static final Pattern ITS = Pattern.compile(
            "(It|Its|The next|This type|None of|The saga with its|That step|By hand,|The undo of its) .*");
    private static final Pattern NAME = Pattern.compile("name|what|types");

    private static final String AT = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";
    private static final String MESSAGE = "(?:`[^`]+` \\([^)]+\\)|message [A-Za-z0-9._:-]+)";
    private static final String ID = "[A-Za-z0-9._:-]+";
    private static final String SAGA = "(?<saga>[A-Z]\\w+) (?<id>ID) of (?<node>ID) ";
    private static final String PAUSE =
            "has been (?<state>paused|probed with few messages) since (?<since>AT)(?:, until (?<until>AT))?(?:, by (?<by>\\w+))?(?: \\(\"(?<reason>[^\"]*)\"\\))?(?:, and its breaker has opened by itself \\(\"(?<opened>[^\"]*)\"\\))?, at instance (?<instance>\\S+) of (?<node>ID)\\.";
    private static final String AFTER =
            "(?:, after (?<count>one failed attempt(?=, at)|.+ attempts(?=, the last at)), (?:the last )?at (?<failed>AT) \\((?<why>.*)\\))?";
    private static final String FAILED = "failed(?: \\(\"(?<reason>[^\"]*)\"\\))?";

    private static final List<Map.Entry<String, String>> OWN = List.of(
            Map.entry("the end of a timeout", "BunnyTimeout"),
            Map.entry("the alarm of a timeout that did not run", "BunnyTimeoutInVain"),
            Map.entry("the alarm of a timeout", "BunnyTimeoutPerhaps"),
            Map.entry("the acknowledgement of an undo", "BunnyUndone"),
            Map.entry("a repair by hand that was refused", "BunnyRepairInVain"),
            Map.entry("a repair by hand", "BunnyRepair"),
            Map.entry("the news of a message that was set aside", "BunnyPoisoned"),
            Map.entry("The handling of timeouts", "BunnyTimeout"),
            Map.entry("The handling of acknowledgements of undos", "BunnyUndone"),
            Map.entry("The handling of repairs by hand", "BunnyRepair"));

    /** Every sentence that a story may have. A leading {@code saga:} or {@code message:} says that it names what follows is about. */
    private static final Map<String, Shape> SHAPES = shapes();

    private record Shape(Pattern pattern, List<String> names) {}

    private static Map<String, Shape> shapes() {
        Map<String, Shape> shapes = new LinkedHashMap<>();
        add(shapes, "saga:active", SAGA + "has been active since (?<since>AT)\\.");
        add(
                shapes,
                "saga:activeAgain",
                SAGA
                        + "has been active again since (?<since>AT), when (?<how>it took what it had been stuck on|somebody (?:resumed|retried|skipped a step of) it)\\.");
        add(shapes, "saga:completed", SAGA + "completed; it last changed at (?<changed>AT)\\.");
        add(
                shapes,
                "saga:failed",
                SAGA + FAILED + ", and has ended(?<steps>.*?); it last changed at (?<changed>AT)\\.");
        add(
                shapes,
                "saga:undoing",
                SAGA + FAILED
                        + " and undoes its steps(?:\\. It has sent `(?<undo>\\w+)`, the undo of step (?<step>\\w+), at (?<sent>AT), and waits for its acknowledgement)?; it last changed at (?<changed>AT)\\.");
        add(
                shapes,
                "saga:stuck",
                SAGA
                        + "has been stuck since (?<since>AT) on (?<on>MESSAGE), which (?<by>ID) has set aside(?:: (?<why>.*?))?\\.");
        add(
                shapes,
                "saga:undoFailed",
                SAGA + FAILED
                        + ", and (?:an undo was set aside: `(?<undo>\\w+)` of step (?<step>\\w+)|the acknowledgement of `(?<acknowledged>\\w+)`, the undo of step (?<undone>\\w+), was set aside: the undo itself was carried out)\\. It waits until somebody repairs it; it last changed at (?<changed>AT)\\.");
        add(shapes, "takesNoOther", "It takes no other message until somebody repairs it\\.");
        add(
                shapes,
                "saga:repair",
                SAGA
                        + "(?:has waited for a repair since (?<since>AT)|waits for a repair): (?<by>ID) has set aside (?<on>MESSAGE), the command of step (?<step>\\w+) \\((?<reason>[a-z-]+)(?:: (?<why>.*))?\\)\\.");
        add(
                shapes,
                "repair",
                "That step does not go on until somebody repairs it: nothing tries it again by itself\\. The saga began at (?<since>AT), and last changed at (?<changed>AT)\\.");
        add(
                shapes,
                "byHand",
                "By hand, somebody has (?<repairs>[^.]*)\\.(?<again> What was sent again was set aside again\\.)?");
        add(
                shapes,
                "byTimeout",
                "It failed when its timeout (?<timeout>\\w+) (?<how>expired|ran), at (?<at>AT)(?:: somebody had resumed the saga at (?<resumed>AT) \\(\"(?<reason>[^\"]*)\"\\), and the timeout had been due since (?<due>AT))?\\.");
        add(
                shapes,
                "asideBefore",
                "It had taken no message since (?<since>AT), when it heard that (?<by>ID) had set aside (?<on>MESSAGE), the command of step (?<step>\\w+) \\((?<reason>[a-z-]+)(?:: (?<why>.*))?\\)\\.");
        add(
                shapes,
                "failedBefore",
                "Until then (?<by>ID) had failed to handle (?<on>MESSAGE), the command of step (?<step>\\w+), the last time at (?<failed>AT) \\((?<why>.*)\\)\\.");
        add(
                shapes,
                "blocked",
                "(?<by>ID) has set (?<on>MESSAGE) aside(?: at (?<at>AT))? \\((?<reason>[a-z-]+)(?:: (?<why>.*))?\\), and the saga (?<how>is blocked on it|does not wait for it any more)\\.(?: It is too old for \\k<by> to know whether it was carried out: find that out first\\.)?");
        add(shapes, "allTaken", "It last changed at (?<changed>AT)\\. All that it takes has come at least once\\.");
        add(
                shapes,
                "awaits",
                "It last changed at (?<changed>AT)\\. Of what it takes, (?:it has not taken these yet|what is left of its history \\((?<kept>one event|\\d+ events)\\) does not name these): (?<types>.*); what comes more than once is not in this list\\.");
        add(shapes, "latestStep", "Its latest step is (?<step>\\w+): (?<command>MESSAGE)\\.");
        add(
                shapes,
                "skipped",
                "Its step (?<step>\\w+) was skipped by an operator: if its answer does not come all the same, the saga goes on only by something else\\.");
        add(shapes, "pause", "`(?<type>\\w+)` " + PAUSE);
        add(
                shapes,
                "notPaused",
                "(?<which>This type is not|None of these types is) paused at instance (?<instance>\\S+) of (?<node>ID)\\.");
        add(shapes, "timeout", "Its timeout (?<name>\\w+) (?<how>is due at|has been due since) (?<at>AT)\\.");
        add(
                shapes,
                "timeoutIdle",
                "Its timeout (?<name>\\w+) is due at (?<at>AT), but does not run until the saga goes on\\.");
        add(
                shapes,
                "timeoutDue",
                "Its timeout (?<name>\\w+) was due at (?<at>AT): it runs as soon as the saga goes on(?:, unless (?<unless>MESSAGE), handled again, cancels it)?\\.");
        add(
                shapes,
                "message:failedTimes",
                "(?<node>ID) has failed to handle (?<message>MESSAGE) (?<count>twice|(?:at least )?\\d+ times), the last time at (?<failed>AT)\\.");
        add(shapes, "howFailed", "How (?<message>MESSAGE) has failed is told by its copy in the poison queue\\.");
        add(
                shapes,
                "leftOver",
                "It is left over: its saga has ended(?:\\. Discard it if nobody has, and do not replay it|, and takes no more messages\\. Discard it if nobody has: a replay does nothing)\\.");
        add(
                shapes,
                "ignored",
                "It is left over: its saga has failed, and takes no more messages\\. Discard it if nobody has: a replay does nothing\\.");
        add(shapes, "asideBeforeUndo", "`(?<type>\\w+)` had been set aside there before: discard it if nobody has\\.");
        add(
                shapes,
                "message:returned",
                "(?<node>ID) has returned (?<message>MESSAGE) to its queue at (?<at>AT) without a failed attempt\\.");
        add(
                shapes,
                "message:failing",
                "(?<node>ID) has failed to handle (?<message>MESSAGE) (?<count>once|twice|(?:at least )?\\d+ times); the last attempt failed at (?<failed>AT) \\((?<why>.*)\\)\\.");
        add(shapes, "next", "The next attempt is due at (?<at>AT)\\.");
        add(
                shapes,
                "nextWas",
                "The next attempt was due at (?<at>AT): the message waits in its queue, unless it has got lost\\.");
        add(shapes, "cameBack", "It has come back to its queue since, at (?<at>AT), without another failed attempt\\.");
        add(shapes, "typePaused", "Its type " + PAUSE);
        add(shapes, "typeNotPaused", "Its type is not paused at instance (?<instance>\\S+) of (?<node>ID)\\.");
        add(shapes, "message:setAside", "(?<node>ID) has set (?<message>MESSAGE) aside at (?<at>AT)" + AFTER + "\\.");
        add(shapes, "noReason", "Its record does not tell why; its copy in the poison queue does\\.");
        add(
                shapes,
                "stepSkipped",
                "Its step was skipped by an operator, as done by hand or not wanted\\. Discard it if nobody has: a replay is refused, and a forced one would do it all the same\\.");
        add(
                shapes,
                "sagaEnded",
                "The saga with its correlation id has ended: if this message is handled again, it may do what nobody waits for any more\\.");
        add(
                shapes,
                "sagaUndoing",
                "The saga with its correlation id has failed, and wants its steps undone: if this message is handled again, it may do what nobody waits for any more\\.");
        add(
                shapes,
                "undoAcknowledged",
                "The undo of its step is acknowledged already: replayed, it would be done once more\\.");
        add(
                shapes,
                "notItsStep",
                "Its type is that of a step, but its saga has no such step with this message: it has forgotten it, or somebody else has sent the message\\. Replayed, it may be done twice\\.");
        add(shapes, "message:handled", "(?<node>ID) has handled (?<message>MESSAGE) at (?<at>AT)" + AFTER + "\\.");
        add(shapes, "message:handledBy", "(?<node>ID) has handled (?<message>MESSAGE) by (?<at>AT)" + AFTER + "\\.");
        add(shapes, "unsent", "Its record does not say (?<yet>yet )?that the broker has (?<names>.*)\\.");
        add(
                shapes,
                "message:handling",
                "(?<node>ID) is handling (?<message>MESSAGE)" + AFTER
                        + "; its claim was made or last renewed at (?<at>AT)\\.");
        add(
                shapes,
                "message:undone",
                "(?<node>ID) does not handle (?<message>MESSAGE) any more: the undo of its step had arrived there by (?<at>AT), and no record says that it had been handled before(?:\\. That undo (?<undo>is not acknowledged yet|was acknowledged))?\\.");
        add(
                shapes,
                "published",
                "It has published (?<names>.*?)(?:; nobody who was asked has a record that says handled|, which (?<by>ID) has handled)\\.");
        add(
                shapes,
                "counted",
                "(?<node>ID) has handled (?<count>one|\\d+) (?:other )?messages? of it: (?<types>.*)\\.");
        add(shapes, "unknown", "Nothing is known of (?<id>ID) at (?<nodes>.*)\\.");
        add(shapes, "looked", "(?<node>ID) has looked at: .*\\.");
        add(shapes, "nowhere", "(?<node>ID) has nowhere to look: .*\\.");
        add(shapes, "poisonQueue", "(?<node>ID), poison queue: not looked at: .*\\.");
        add(shapes, "elsewhere", "It may be known to another node, .*\\.");
        add(shapes, "notFoundOut", "It could not be found out whether (?<node>ID) knows (?<id>ID): .*\\.");
        add(shapes, "trouble", "At (?<node>ID), the store did not answer when it was last called: .*\\.");
        add(shapes, "notLooked", "(?<node>ID), (?<place>(?!poison queue)[a-z ]+): not looked at: .*\\.");
        return shapes;
    }

    private static void add(Map<String, Shape> shapes, String name, String template) {
        String regex = template.replace("MESSAGE", MESSAGE)
                .replace("ID", ID)
                .replaceAll("\\bAT\\b", Matcher.quoteReplacement(AT));
        List<String> names = new ArrayList<>();
        Matcher named = GROUP.matcher(regex);
        while (named.find()) {
            names.add(named.group(1));
        }
        shapes.put(name, new Shape(Pattern.compile(regex), names));
    }

    /** @param namesAndValues a value may be {@code null}: then the sentence does not say it */
    static Fact of(String shape, @Nullable String... namesAndValues) {
        Map<String, String> values = new TreeMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            String value = namesAndValues[i + 1];
            if (value != null) {
                values.put(String.valueOf(namesAndValues[i]), value);
            }
        }
        return new Fact(shape, values);
    }

    static String at(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** @throws AssertionError if a sentence has no known shape, or several */
    static List<Fact> told(List<String> sentences, Instant now) {
        List<Fact> facts = new ArrayList<>();
        String subject = "";
        for (String sentence : sentences) {
            Fact fact = told(withDays(withTypes(sentence), now), subject);
            facts.add(fact);
            subject = fact.values().getOrDefault("subject", subject);
            fact.values().remove("subject");
        }
        return facts;
    }

    /** SafeBunny's own types by their names, which no sentence has. */
    private static String withTypes(String sentence) {
        if (sentence.contains("Bunny")) {
            throw new AssertionError("An internal name: " + sentence);
        }
        String named = sentence;
        for (Map.Entry<String, String> own : OWN) {
            named = named.replace(own.getKey(), '`' + own.getValue() + '`');
        }
        return named;
    }

    /** All times with their days. */
    private static String withDays(String sentence, Instant now) {
        return TIME.matcher(sentence).replaceAll(time -> {
            String day = time.group(1);
            return (day == null ? now.atZone(ZoneOffset.UTC).toLocalDate().toString() : day) + 'T' + time.group(2);
        });
    }

    private static Fact told(String sentence, String subject) {
        Fact found = null;
        for (Map.Entry<String, Shape> shape : SHAPES.entrySet()) {
            Matcher matcher = shape.getValue().pattern().matcher(sentence);
            if (matcher.matches()) {
                if (found != null) {
                    throw new AssertionError("Both %s and %s: %s".formatted(found.shape(), shape.getKey(), sentence));
                }
                found = fact(shape.getKey(), shape.getValue().names(), matcher, sentence, subject);
            }
        }
        if (found == null) {
            throw new AssertionError("No story has such a sentence: " + sentence);
        }
        return found;
    }

    private static Fact fact(String shape, List<String> names, Matcher matcher, String sentence, String subject) {
        Map<String, String> values = new TreeMap<>();
        for (String name : names) {
            String value = matcher.group(name);
            if (value != null) {
                values.put(name, NAME.matcher(name).lookingAt() ? listed(name, value) : value);
            }
        }
        if (shape.startsWith("saga:")) {
            values.put("subject", values.get("saga") + ' ' + values.get("id"));
        } else if (shape.startsWith("message:")) {
            values.put("subject", String.valueOf(values.get("message")));
        } else if (ITS.matcher(sentence).matches() && !shape.equals("elsewhere")) {
            values.put("of", subject);
        }
        return new Fact(shape, values);
    }

    /** In an order of its own. */
    private static String listed(String name, String value) {
        TreeSet<String> parts = new TreeSet<>();
        if (name.equals("names")) {
            Matcher message =
                    Pattern.compile(MESSAGE + "(?:, due at " + AT + ")?").matcher(value);
            while (message.find()) {
                parts.add(message.group());
            }
        } else if (value.contains(" from ")) {
            Matcher group =
                    Pattern.compile("((?:`\\w+`(?:, | and )?)+) from (\\w+)").matcher(value);
            while (group.find()) {
                Matcher type = Pattern.compile("`(\\w+)`").matcher(group.group(1));
                while (type.find()) {
                    parts.add(type.group(1) + " from " + group.group(2));
                }
            }
        } else {
            Matcher type = Pattern.compile("`(\\w+)`(?: \\((\\d+)\\))?").matcher(value);
            while (type.find()) {
                parts.add(type.group(1) + (type.group(2) == null ? "" : " " + type.group(2)));
            }
            return parts.isEmpty() ? value : parts.toString();
        }
        return parts.toString();
    }
}
