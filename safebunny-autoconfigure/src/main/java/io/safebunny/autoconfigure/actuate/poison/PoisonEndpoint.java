// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.http.KnownParametersOnly;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * The poison messages of the node, and operations on them. For Spring all parameters are optional, so that our own response can name the
 * missing one. {@link KnownParametersOnly} explains why selectors take the rest of the path. Read-only unless {@code
 * management.endpoint.safebunnypoison.access} says otherwise. Thread-safe.
 */
@WebEndpoint(id = "safebunnypoison", defaultAccess = Access.READ_ONLY)
public final class PoisonEndpoint {

    private static final String NOTHING = "/";
    private static final int SHOWN = 100;
    /** Maximum bytes of bodies in one response. */
    private static final long SHOWN_BYTES = 4L << 20;

    private static final int MOST_SHOWN = 1_000;
    private static final int MOVED = 1_000;
    private static final int MOST_MOVED = 100_000;

    private final PoisonMessages poison;
    private final PoisonChanges changes;
    private final PoisonViews views;
    private final PoisonEndpointProperties properties;
    private final PoisonAudit audit;
    private final Supplier<Set<String>> types;

    /** @param types the message types that the node handles */
    public PoisonEndpoint(
            PoisonMessages poison,
            BodyMasker masker,
            PoisonEndpointProperties properties,
            Audit audit,
            Supplier<Set<String>> types) {
        this.poison = poison;
        this.audit = new PoisonAudit(audit);
        this.changes = new PoisonChanges(poison, this.audit);
        this.views = new PoisonViews(masker);
        this.properties = properties;
        this.types = types;
    }

    @ReadOperation
    WebEndpointResponse<Object> list(
            @Nullable String type,
            @Nullable String poisonReason,
            @Nullable String exception,
            @Nullable String correlation,
            @Nullable String limit,
            @Nullable String archived) {
        return Answers.of(() -> {
            PoisonFilter filter = filter(type, poisonReason, exception, correlation)
                    .withLimit(Asked.number("limit", limit, SHOWN, MOST_SHOWN));
            return PoisonViews.list(Asked.flag("archived", archived) ? poison.archived(filter) : poison.list(filter));
        });
    }

    private static PoisonFilter filter(
            @Nullable String type,
            @Nullable String poisonReason,
            @Nullable String exception,
            @Nullable String correlation) {
        return PoisonFilter.all()
                .withType(type)
                .withReason(poisonReason)
                .withException(exception)
                .withCorrelationId(correlation);
    }

    /** @param content {@code false} to leave out bodies and headers, even for those who may see them */
    @ReadOperation
    WebEndpointResponse<Object> look(
            @Selector(match = Match.ALL_REMAINING) String[] id, SecurityContext security, @Nullable String content) {
        return Answers.found(
                () -> {
                    boolean shown = Asked.flag("content", content, true) && properties.showsBodies(security);
                    List<PoisonCopy> copies = poison.find(one(id), shown ? SHOWN_BYTES : 0);
                    if (shown) {
                        audit.looked(Asked.by(security), copies);
                    }
                    return copies.isEmpty() ? null : views.copies(copies, shown);
                },
                missing(one(id)));
    }

    /** The message id in the path below the endpoint. Ids are never empty and have no slashes, so any other path matches no message. */
    private static String one(String[] id) {
        String one = String.join("/", id);
        return one.isBlank() ? NOTHING : one;
    }

    private static String missing(String id) {
        return "There is no such copy of this message [id=%s]. If another request is reading or moving it right now, try again."
                .formatted(Names.printable(id));
    }

    @WriteOperation
    WebEndpointResponse<Object> change(
            SecurityContext security,
            @Nullable String action,
            @Nullable String all,
            @Nullable String type,
            @Nullable String poisonReason,
            @Nullable String exception,
            @Nullable String correlation,
            @Nullable String limit,
            @Nullable String rate,
            @Nullable String dryRun,
            @Nullable String forced,
            @Nullable String reason) {
        return Answers.of(() -> {
            PoisonAction asked = PoisonAction.of(action, PoisonAction.OF_MANY);
            asked.requireApplicable(null, dryRun, forced);
            Asked.allOrSome(all, Stream.of(type, poisonReason, exception, correlation));
            PoisonFilter filter = filter(
                            asked == PoisonAction.REPLAY ? handled(type) : type, poisonReason, exception, correlation)
                    .withLimit(Asked.number("limit", limit, MOVED, MOST_MOVED));
            PoisonRequest request = request(filter, security, reason, dryRun, forced);
            return changes.begin(asked, request.atRate(Asked.decimal("rate", rate, 0)));
        });
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
            @Nullable String action,
            @Nullable String copy,
            @Nullable String body,
            @Nullable String dryRun,
            @Nullable String forced,
            @Nullable String reason) {
        return Answers.found(
                () -> {
                    PoisonAction asked = PoisonAction.of(action, PoisonAction.OF_ONE);
                    asked.requireApplicable(body, dryRun, forced);
                    if (asked == PoisonAction.EDIT) {
                        return changes.edit(edit(one(id), security, copy, body, reason));
                    }
                    PoisonFilter filter = PoisonFilter.all()
                            .withMessageId(one(id))
                            .withDigest(copy)
                            .withLimit(SHOWN);
                    return changes.beginOne(asked, request(filter, security, reason, dryRun, forced));
                },
                missing(one(id)));
    }

    private static PoisonEdit edit(
            String id,
            SecurityContext security,
            @Nullable String copy,
            @Nullable String body,
            @Nullable String reason) {
        return new PoisonEdit(
                id,
                Asked.present("copy", copy),
                Asked.present("body", body).getBytes(StandardCharsets.UTF_8),
                Asked.by(security),
                reason == null ? "" : reason);
    }

    private static PoisonRequest request(
            PoisonFilter filter,
            SecurityContext security,
            @Nullable String reason,
            @Nullable String dryRun,
            @Nullable String forced) {
        PoisonRequest request = PoisonRequest.of(filter, Asked.by(security), reason == null ? "" : reason);
        request = Asked.flag("dryRun", dryRun) ? request.asDryRun() : request;
        return Asked.flag("forced", forced) ? request.withForce() : request;
    }
}
