// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.http.Checked;
import io.safebunny.autoconfigure.actuate.http.KnownParametersOnly;
import io.safebunny.autoconfigure.actuate.http.Rights;
import io.safebunny.autoconfigure.actuate.incident.IncidentTests;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * The poison messages of the node, and operations on them. For Spring all parameters are optional, so that our own response can name the
 * missing one. {@link KnownParametersOnly} explains why selectors take the rest of the path. Read-only by default; {@link Rights} are asked
 * before each change. Thread-safe.
 */
@WebEndpoint(id = "safebunnypoison", defaultAccess = Access.READ_ONLY)
public final class PoisonEndpoint {

    private static final EndpointId ID = EndpointId.of("safebunnypoison");
    private static final String NOTHING = "/";
    private static final int SHOWN = 100;
    private static final int MOST_SHOWN = 1_000;
    private static final int MOVED = 1_000;
    static final int MOST_MOVED = 100_000;

    private static final List<String> VERDICTS =
            Stream.of(Verdict.values()).map(Verdict::name).toList();

    private static final String OF_SOME = "messageId says which message";

    private final String node;
    private final PoisonMessages poison;
    private final PoisonChanges changes;
    private final PoisonLooks looks;
    private final PoisonCounts counts;
    private final IncidentTests tests;
    private final Rights rights;
    private final Supplier<Set<String>> types;

    /**
     * @param node the node whose messages they are
     * @param masker {@code null} for none
     * @param isEncrypted whether the body of a message is encrypted in the queue
     * @param tests makes tests of messages
     * @param types the message types that the node handles
     */
    public PoisonEndpoint(
            String node,
            PoisonMessages poison,
            @Nullable BodyMasker masker,
            PoisonEndpointProperties properties,
            Predicate<PoisonedMessage> isEncrypted,
            IncidentTests tests,
            Rights rights,
            Audit audit,
            Supplier<Set<String>> types) {
        PoisonAudit told = new PoisonAudit(audit);
        this.node = node;
        this.poison = poison;
        this.changes = new PoisonChanges(poison, told);
        this.looks = new PoisonLooks(poison, masker, properties, isEncrypted, told);
        this.counts = new PoisonCounts(poison);
        this.tests = tests;
        this.rights = rights;
        this.types = types;
    }

    /** Lists, shows one message whose id no path can have, or the groups of what an operation has read. */
    @ReadOperation
    WebEndpointResponse<Object> list(
            SecurityContext security,
            @Nullable String messageId,
            @Nullable String content,
            @Nullable String as,
            @Nullable String copy,
            @Nullable String type,
            @Nullable String poisonReason,
            @Nullable String exception,
            @Nullable String correlation,
            @Nullable String verdict,
            @Nullable String limit,
            @Nullable String archived,
            @Nullable String operation,
            @Nullable String after) {
        if (messageId != null) {
            return Answers.found(
                    () -> {
                        requireNoFilter(type, poisonReason, exception, correlation, verdict);
                        Asked.absent("limit", limit, OF_SOME);
                        Asked.absent("operation", operation, OF_SOME);
                        Asked.absent("after", after, OF_SOME);
                        Asked.absent("archived", archived, OF_SOME);
                        return looked(messageId, security, content, as, copy);
                    },
                    missing(messageId, null));
        }
        return Answers.of(() -> {
            Asked.absent("content", content, "lists have no bodies");
            Asked.absent("as", as, "it is for one message");
            Asked.absent("copy", copy, "it is for one message");
            if (operation != null) {
                Asked.absent("correlation", correlation, "groups have none");
                Asked.absent("verdict", verdict, "groups have none");
                return counts.groups(operation, archived, type, poisonReason, exception, after, limit);
            }
            Asked.absent("after", after, "it is for the groups of an operation");
            int most = Asked.number("limit", limit, SHOWN, MOST_SHOWN);
            PoisonFilter filter =
                    filter(type, poisonReason, exception, correlation, verdict).withLimit(most);
            return PoisonViews.list(
                    Asked.flag("archived", archived) ? poison.archived(filter) : poison.list(filter), most);
        });
    }

    private static void requireNoFilter(
            @Nullable String type,
            @Nullable String poisonReason,
            @Nullable String exception,
            @Nullable String correlation,
            @Nullable String verdict) {
        Asked.absent("type", type, OF_SOME);
        Asked.absent("poisonReason", poisonReason, OF_SOME);
        Asked.absent("exception", exception, OF_SOME);
        Asked.absent("correlation", correlation, OF_SOME);
        Asked.absent("verdict", verdict, OF_SOME);
    }

    private static PoisonFilter filter(
            @Nullable String type,
            @Nullable String poisonReason,
            @Nullable String exception,
            @Nullable String correlation,
            @Nullable String verdict) {
        return PoisonFilter.all()
                .withType(type)
                .withReason(poisonReason)
                .withException(exception)
                .withCorrelationId(correlation)
                .withVerdict(verdict == null ? null : Verdict.valueOf(Asked.oneOf("verdict", verdict, VERDICTS)));
    }

    /**
     * Shows one message.
     *
     * @param content {@code false} to leave out bodies and headers, even for those who may see them
     * @param as {@code test} for the source of a test
     * @param copy of which copy the test is
     */
    @ReadOperation
    WebEndpointResponse<Object> look(
            @Selector(match = Match.ALL_REMAINING) String[] id,
            SecurityContext security,
            @Nullable String content,
            @Nullable String as,
            @Nullable String copy) {
        return Answers.found(() -> looked(one(id), security, content, as, copy), missing(one(id), null));
    }

    private @Nullable Object looked(
            String id, SecurityContext user, @Nullable String content, @Nullable String as, @Nullable String copy) {
        if (IncidentTests.isAsked(as, content)) {
            Object test = tests.ofMessage(id, copy, user);
            return test == null ? looks.archived(id) : test;
        }
        Asked.absent("copy", copy, "it is for as=test only");
        return looks.at(id, user, content);
    }

    /** The message id in the path below the endpoint. A path with nothing or with slashes matches no message that a node has sent. */
    private static String one(String[] id) {
        String one = String.join("/", id);
        return one.isBlank() ? NOTHING : one;
    }

    /** @param action what was to be done with it; {@code null} if somebody only looks */
    private String missing(String id, @Nullable String action) {
        String shown = Names.printable(id);
        String elsewhere =
                "It may have been replayed, or set aside by another node, and each shows only its own copies: GET safebunnystory?about=%s asks all of them what has come of it."
                        .formatted(URLEncoder.encode(id, StandardCharsets.UTF_8));
        return PoisonAction.RESTORE.isAsked(action)
                ? "There is no such copy of this message in the archive of node %s, where discarded ones are and which was asked [id=%s]. If another request is reading or moving it right now, try again. If it was not discarded, or was restored before, it is in the poison queue: GET safebunnypoison?messageId=%s. %s"
                        .formatted(node, shown, URLEncoder.encode(id, StandardCharsets.UTF_8), elsewhere)
                : "There is no such copy of this message in the poison queue of node %s, which was asked [id=%s]. If another request is reading or moving it right now, try again. If it was discarded, restore it from the archive: GET safebunnypoison?messageId=%s&archived=true. %s"
                        .formatted(node, shown, URLEncoder.encode(id, StandardCharsets.UTF_8), elsewhere);
    }

    /** Changes all that match, or one message whose id no path can have. */
    @WriteOperation
    WebEndpointResponse<Object> change(
            SecurityContext security,
            @Nullable Checked checked,
            @Nullable String action,
            @Nullable String all,
            @Nullable String messageId,
            @Nullable String ids,
            @Nullable String copy,
            @Nullable String body,
            @Nullable String type,
            @Nullable String poisonReason,
            @Nullable String exception,
            @Nullable String correlation,
            @Nullable String verdict,
            @Nullable String limit,
            @Nullable String rate,
            @Nullable String dryRun,
            @Nullable String forced,
            @Nullable String reason) {
        ChangeOfOne one = new ChangeOfOne(action, copy, body, dryRun, forced, reason);
        if (messageId != null) {
            return rights.changing(
                    ID,
                    security,
                    checked,
                    () -> Answers.found(
                            () -> {
                                requireNoFilter(type, poisonReason, exception, correlation, verdict);
                                Asked.absent("all", all, OF_SOME);
                                Asked.absent("ids", ids, OF_SOME);
                                Asked.absent("limit", limit, OF_SOME);
                                Asked.absent("rate", rate, OF_SOME);
                                return changed(messageId, one, security);
                            },
                            missing(messageId, action)));
        }
        return rights.changing(
                ID,
                security,
                checked,
                () -> Answers.of(() -> {
                    PoisonAction asked = PoisonAction.of(action, PoisonAction.OF_MANY);
                    asked.requireApplicable(body, dryRun, forced);
                    Asked.allOrSome(all, Stream.of(ids, type, poisonReason, exception, correlation, verdict, copy));
                    PoisonFilter filter = filter(
                                    asked == PoisonAction.REPLAY ? handled(type) : type,
                                    poisonReason,
                                    exception,
                                    correlation,
                                    verdict)
                            .withDigest(copy)
                            .withLimit(Asked.number("limit", limit, MOVED, MOST_MOVED));
                    PoisonRequest request =
                            one.request(ids == null ? filter : filter.withMessageIds(Asked.ids("ids", ids)), security);
                    return changes.begin(asked, request.atRate(Asked.decimal("rate", rate, 0)));
                }));
    }

    private @Nullable String handled(@Nullable String type) {
        if (type != null && !types.get().contains(type)) {
            throw new MisuseException(
                    MisuseException.TYPE,
                    "No handler of this node takes the type [type=%s]: it handles %s. Nothing was moved. Use one of these, or leave out the type."
                            .formatted(Names.printable(type), types.get()));
        }
        return type;
    }

    @WriteOperation
    WebEndpointResponse<Object> changeOne(
            @Selector(match = Match.ALL_REMAINING) String[] id,
            SecurityContext security,
            @Nullable Checked checked,
            @Nullable String action,
            @Nullable String copy,
            @Nullable String body,
            @Nullable String dryRun,
            @Nullable String forced,
            @Nullable String reason) {
        ChangeOfOne one = new ChangeOfOne(action, copy, body, dryRun, forced, reason);
        return rights.changing(
                ID,
                security,
                checked,
                () -> Answers.found(() -> changed(one(id), one, security), missing(one(id), action)));
    }

    private @Nullable Object changed(String id, ChangeOfOne one, SecurityContext security) {
        PoisonAction asked = PoisonAction.of(one.action(), PoisonAction.OF_ONE);
        asked.requireApplicable(one.body(), one.dryRun(), one.forced());
        if (asked == PoisonAction.EDIT) {
            PoisonEdit edit = one.edit(id, security);
            looks.requireNoMask(edit, security);
            return changes.edit(edit);
        }
        PoisonFilter filter =
                PoisonFilter.all().withMessageId(id).withDigest(one.copy()).withLimit(SHOWN);
        return changes.beginOne(asked, one.request(filter, security));
    }
}
