// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.Story.Command;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What helps: requests that look come first, then those that repair, at last those that give something up or end what somebody has wanted.
 * Each request once. None has effects twice as it is written. Confined to one thread.
 */
final class Advice {

    static final String POISON = "safebunnypoison";
    private static final String SAGAS = "safebunny/sagas";

    /** Whoever runs the request writes it. */
    private static final String REASON = "REASON";

    /** There is one for each message that waits for somebody, if its cause tells which. */
    private static final String USUAL = "the usual repair, ";

    private static final String ONCE_MENDED = "once the cause is mended, with your reason in the place of REASON: ";

    private static final String DRY = ". As written it moves nothing: it only answers what would happen. ";

    /** Of what is not asked for by its id. */
    private static final String NONE = ". If it has ENDED with \"matched\" 0, there is none";

    private static final String AS_WRITTEN =
            DRY + "If \"verdicts\" in the answer has RUN, send it again without \"dryRun\"";

    private final Map<String, Command> looks = new LinkedHashMap<>();
    private final Map<String, Command> repairs = new LinkedHashMap<>();
    private final Map<String, Command> decisions = new LinkedHashMap<>();

    List<Command> all() {
        return Stream.of(looks, repairs, decisions)
                .flatMap(commands -> commands.values().stream())
                .toList();
    }

    private static void add(Map<String, Command> commands, Command command) {
        commands.putIfAbsent(command.node() + ' ' + command.curl(), command);
    }

    void look(String why, String node, String path) {
        add(looks, Curl.get(why, node, path));
    }

    void lookAtPoison(String node, String messageId) {
        add(
                looks,
                Curl.get("what was set aside, why, and what a replay would do", node, POISON, "messageId", messageId));
    }

    void lookAt(String node, Saga saga) {
        add(looks, Curl.get("the saga itself", node, SAGAS, "sagaId", saga.id()));
    }

    /**
     * A dry run, until somebody takes that out.
     *
     * @param isUsual whether it is what helps most often
     */
    void replay(String node, String messageId, String what, boolean isUsual) {
        replay(node, messageId, what, isUsual ? USUAL : "");
    }

    /** @param tried how somebody has tried that in vain; empty if nobody has */
    void replayUsually(String node, String messageId, String what, String tried) {
        replay(node, messageId, what, usual(tried));
    }

    private static String usual(String tried) {
        return tried.isEmpty() ? USUAL : tried + ": only ";
    }

    private void replay(String node, String messageId, String what, String begin) {
        String why = begin + dryRun("handles %s again".formatted(what));
        add(repairs, Curl.post(why, node, POISON, "messageId", messageId, moving("replay")));
    }

    /**
     * What was discarded although it is still wanted. A replay can follow.
     *
     * @param tried how somebody has replayed it in vain; empty if nobody has
     */
    void restore(String node, String messageId, String what, String tried) {
        String why =
                "%s%smoves %s from the archive back to the poison queue, from where it can be replayed%sThen send it again without \"dryRun\""
                        .formatted(usual(tried), ONCE_MENDED, what, DRY);
        add(repairs, Curl.post(why, node, POISON, "messageId", messageId, moving("restore")));
    }

    /** Of what is left over. */
    void discard(String node, String messageId, String what) {
        String why =
                "left over, with your reason in the place of REASON: moves %s to the archive%sThen send it again without \"dryRun\""
                        .formatted(what, DRY);
        add(decisions, Curl.post(why, node, POISON, "messageId", messageId, moving("discard")));
    }

    /** Of what holds back others. */
    void discardHead(String node, String messageId, String what) {
        String why =
                "only if those that wait for it can do without, with your reason in the place of REASON: moves %s to the archive, and they go on%sThen send it again without \"dryRun\""
                        .formatted(what, DRY);
        add(decisions, Curl.post(why, node, POISON, "messageId", messageId, moving("discard")));
    }

    /** The same of what was handled after it had been set aside, of a correlation id. */
    void discardDone(String node, String correlationId) {
        Map<String, String> body = moving("discard");
        body.put("correlation", correlationId);
        body.put("verdict", "DONE");
        String why =
                "left over, with your reason in the place of REASON: moves what needs no replay any more to the archive%sThen send it again without \"dryRun\"%s"
                        .formatted(DRY, NONE);
        add(decisions, Curl.post(why, node, POISON, body));
    }

    /** The same of what a saga of another node may have had done in another way. */
    void replayIfNotDone(String node, String messageId, String what, String untold) {
        String why = "only if nobody has had it done in another way: %s. %s"
                .formatted(untold, Words.capitalised(dryRun("handles %s again".formatted(what))));
        add(repairs, Curl.post(why, node, POISON, "messageId", messageId, moving("replay")));
    }

    /** What is too old for its node to know whether it was carried out, which refuses it unless it is forced. */
    void replayForced(String node, String messageId, String what) {
        Map<String, String> body = moving("replay");
        body.put("forced", "true");
        add(
                repairs,
                Curl.post(
                        "only if %s was not carried out, with your reason in the place of REASON: handles it, however old it is%s"
                                .formatted(what, AS_WRITTEN),
                        node,
                        POISON,
                        "messageId",
                        messageId,
                        body));
    }

    /** What came to a saga while it was stuck. */
    void replayRefused(String node, Saga saga, StuckOn stuck) {
        look(
                "what has come to it since, and was set aside",
                node,
                POISON + "?poisonReason=saga-stuck&correlation=" + Curl.encoded(saga.id()));
        Map<String, String> body = moving("replay");
        body.put("poisonReason", "saga-stuck");
        body.put("correlation", saga.id());
        add(
                repairs,
                Curl.post(
                        dryRun("when the saga is not stuck on message %s any more, handles what has come to it since"
                                        .formatted(Words.text(stuck.messageId())))
                                + NONE,
                        node,
                        POISON,
                        body));
    }

    private static Map<String, String> moving(String action) {
        Map<String, String> body = new LinkedHashMap<>();
        body.put("action", action);
        body.put("dryRun", "true");
        body.put("reason", REASON);
        return body;
    }

    private static String dryRun(String what) {
        return ONCE_MENDED + what + AS_WRITTEN;
    }

    /** @param tried how somebody has tried that in vain; empty if nobody has */
    void retry(String node, Saga saga, String tried) {
        add(repairs, repair(node, saga, "retry", null, usual(tried) + ONCE_MENDED + "sends what was set aside again"));
    }

    void skip(String node, Saga saga, String step, String when) {
        add(
                decisions,
                repair(
                        node,
                        saga,
                        "skip",
                        step,
                        "only if %s, with your reason in the place of REASON: step %s counts as done with"
                                .formatted(when, Words.text(step))));
    }

    void fail(String node, Saga saga) {
        add(
                decisions,
                repair(
                        node,
                        saga,
                        "fail",
                        null,
                        "only if it is to end as failed, with your reason in the place of REASON: undoes its steps, the last one first, which cannot be taken back. Replay none of its messages after that"));
    }

    /** Best before somebody repairs it: a saga that has ended well has no test. */
    void test(String node, Saga saga) {
        String path = Curl.isInPath(saga.id())
                ? "%s/%s?as=test".formatted(SAGAS, Curl.encoded(saga.id()))
                : "%s?sagaId=%s&as=test".formatted(SAGAS, Curl.encoded(saga.id()));
        look("what went wrong as the source of a test, best before it is repaired", node, path);
    }

    /**
     * @param without the message that is given up; {@code null} if the saga is stuck on a timeout, which is tried again
     * @param then sentences on what comes to the saga then
     */
    void resume(String node, Saga saga, @Nullable String without, String then) {
        add(
                decisions,
                repair(
                        node,
                        saga,
                        "resume",
                        null,
                        without == null
                                ? ONCE_MENDED
                                        + "tries the timeout again at once, with your reason in the place of REASON; others that have passed run at once, too"
                                : "only if the saga can do without, with your reason in the place of REASON: gives up %s, and the saga goes on as if it had never come%s"
                                        .formatted(without, then)));
    }

    private static Command repair(String node, Saga saga, String action, @Nullable String step, String why) {
        Map<String, String> body = new LinkedHashMap<>();
        body.put("action", action);
        body.put("saga", saga.saga());
        if (step != null) {
            body.put("step", step);
        }
        body.put("reason", REASON);
        return Curl.post(why, node, SAGAS, "sagaId", saga.id(), body);
    }

    /** Nothing ends the pause of a breaker that has opened by itself, but time. */
    void end(String node, Pause pause) {
        String path = "safebunny/breakers/" + Curl.encoded(pause.type());
        look("why the handling of %s is paused".formatted(Words.types(pause.type())), node, path);
        String by = pause.by();
        boolean hasNotStarted = by == null && pause.state().equals("OPEN") && pause.until() == null;
        if (by == null && !hasNotStarted) {
            return;
        }
        Map<String, String> body = new LinkedHashMap<>();
        body.put("state", "closed");
        body.put("reason", REASON);
        String reason = pause.reason();
        String when = by == null
                ? "if the node is to begin"
                : "once the reason of %s does not hold any more%s"
                        .formatted(Words.text(by), reason == null ? "" : " (" + Words.quoted(reason) + ')');
        add(
                decisions,
                Curl.post(
                        "%s, with your reason in the place of REASON: handles %s"
                                .formatted(when, Words.types(pause.type())),
                        node,
                        path,
                        body));
    }
}
