// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import static io.safebunny.proof.model.DeviationException.require;

import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.proof.model.ShopSteps.Step;
import io.safebunny.proof.model.saga.ShopSaga;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What one {@link ShopSaga} must be after each message, written down a second time without stores, conflicts and crashes. It is given
 * the messages in the order of their writes, and compared with what was written. Confined to one thread.
 */
public final class ShopModel {

    private static final JsonMapper JSON = JsonMapper.shared();
    /** Header of the news that a message was set aside. */
    static final String NEWS_REASON = "poison-reason";

    private static final String SET_ASIDE_AT = "poison-set-aside-at";

    private static final Set<String> NO_GAP = Set.of("saga-stuck", "set-aside-before");

    private static final Set<String> HANDLED =
            Set.of("PlaceOrder", "Note", "Wait", "StockReserved", "Captured", "Declined");

    private record Timeout(String token, long due, long wakesAt) {}

    private record Block(long recordVersion, long setAsideAt) {}

    private final Predicate<String> isSetAside;
    private SagaStatus status = SagaStatus.ACTIVE;
    private String order = "";
    private long cents;
    private final ShopSteps steps = new ShopSteps();
    private @Nullable Timeout payment;
    private final Map<String, Block> blockedOn = new LinkedHashMap<>();
    private String stuckOn = "";
    private final List<String> mended = new ArrayList<>();
    private final Set<String> taken = new HashSet<>();
    private long version;

    /** @param isSetAside whether a message to the saga is set aside now, and not being handled again after a replay */
    public ShopModel(Predicate<String> isSetAside) {
        this.isSetAside = isSetAside;
    }

    SagaStatus status() {
        return status;
    }

    ShopSteps steps() {
        return steps;
    }

    // ---- what a message does

    /**
     * A message was handled, and the saga written with its completion.
     *
     * @param now when
     * @return the types that are published
     */
    List<String> take(WireMessage message, long now) {
        List<String> published = new ArrayList<>();
        String type = String.valueOf(message.type());
        String id = String.valueOf(message.messageId());
        JsonNode body = JSON.readTree(message.body());
        switch (type) {
            case "BunnyTimeout" -> timeout(id, now, published);
            case "BunnyUndone" -> acknowledged(body.path("step").asString(""), published);
            case "BunnyPoisoned" ->
                setAsideElsewhere(body, String.valueOf(message.headers().get(NEWS_REASON)), setAsideAt(message));
            case "BunnyRepair" -> repair(body, id, now, published);
            default -> message(message, type, id, body, now, published);
        }
        taken.add(id);
        version++;
        return published;
    }

    private void message(WireMessage message, String type, String id, JsonNode body, long now, List<String> published) {
        if (type.equals("PlaceOrder") && version == 0) {
            order = body.path("order").asString("");
            cents = body.path("cents").asLong();
            steps.send("stock", "ReserveStock", "ReleaseStock", published);
            arm(now + ShopSaga.PAY_WITHIN.toMillis(), published);
            return;
        }
        require(version > 0, "%s was taken by a saga that does not exist", type);
        if (status == SagaStatus.STUCK) {
            require(id.equals(stuckOn), "a stuck saga took %s", type);
            goOn(id, now, published);
            if (type.equals("PlaceOrder")) {
                return;
            }
        }
        require(status == SagaStatus.ACTIVE, "%s was taken by a saga that is %s", type, status);
        if (message.headers().get(Headers.CAUSATION_ID) instanceof String cause) {
            long at = time(message, Headers.SENT_AT);
            blockedOn.computeIfPresent(cause, (blocking, block) -> at < block.setAsideAt() ? block : null);
            steps.answered(cause, at);
        }
        switch (type) {
            case "Note" -> cents += body.path("cents").asLong();
            case "Wait" -> move(now + 1_000 * body.path("seconds").asLong(), published);
            case "StockReserved" -> steps.send("pay", "Capture", "Refund", published);
            case "Captured" -> {
                status = SagaStatus.COMPLETED;
                payment = null;
                blockedOn.clear();
            }
            case "Declined" -> {
                steps.forget("pay");
                fail(published);
            }
            default -> throw new DeviationException("a saga took " + type);
        }
    }

    private void arm(long due, List<String> published) {
        payment = new Timeout("", due, due);
        published.add("BunnyTimeout");
    }

    private void move(long due, List<String> published) {
        if (payment != null && due >= payment.wakesAt()) {
            payment = new Timeout(payment.token(), due, payment.wakesAt());
        } else {
            arm(due, published);
        }
    }

    private void timeout(String token, long now, List<String> published) {
        require(payment != null && payment.token().equals(token), "a timeout ran that is not set");
        if (status == SagaStatus.STUCK) {
            require(token.equals(stuckOn), "a timeout of a stuck saga ran");
            goOn(token, now, published);
        }
        require(status == SagaStatus.ACTIVE, "a timeout ran while the saga was %s", status);
        if (payment != null && payment.due() > now) {
            arm(payment.due(), published);
        } else {
            payment = null;
            fail(published);
        }
    }

    private void fail(List<String> published) {
        status = SagaStatus.COMPENSATING;
        payment = null;
        blockedOn.clear();
        undoNext(published);
    }

    private void undoNext(List<String> published) {
        if (!steps.undoNext(published)) {
            status = SagaStatus.FAILED;
            blockedOn.clear();
            published.add("SagaFailed");
        }
    }

    private void acknowledged(String command, List<String> published) {
        for (Step step : steps.all()) {
            if (step.commandId.equals(command) && step.status == StepStatus.UNDOING) {
                undone(step, StepStatus.UNDONE, published);
                return;
            }
        }
    }

    private void undone(Step step, StepStatus how, List<String> published) {
        step.status = how;
        if (status == SagaStatus.COMPENSATION_FAILED) {
            status = SagaStatus.COMPENSATING;
        }
        blockedOn.remove(step.undoId);
        undoNext(published);
    }

    // ---- what is set aside

    /** A message to the saga was set aside, and the saga written with its record. */
    void stuckBy(String id) {
        require(status == SagaStatus.ACTIVE, "a saga that is %s became stuck", status);
        status = SagaStatus.STUCK;
        stuckOn = id;
        version++;
    }

    /** In milliseconds since the epoch. */
    static long setAsideAt(WireMessage news) {
        return time(news, SET_ASIDE_AT);
    }

    private static long time(WireMessage message, String header) {
        return message.headers().get(header) instanceof Number millis ? millis.longValue() : 0;
    }

    private void setAsideElsewhere(JsonNode news, String reason, long setAsideAt) {
        String id = news.path("messageId").asString("");
        String type = news.path("type").asString("");
        String sent = news.path("sent").asString("");
        require(!status.isEnded(), "the news of a poison message changed a saga that is %s", status);
        boolean own = news.path("node").asString("").equals(ShopSaga.NODE);
        boolean meant = own
                && (HANDLED.contains(type)
                        || (payment != null && payment.token().equals(id)));
        List<Step> senders = steps.all().stream()
                .filter(step -> step.undoId.equals(sent) || step.commandId.equals(sent))
                .toList();
        require(meant || !senders.isEmpty(), "the news of another's poison message changed the saga");
        boolean late = mended.contains(id) || taken.contains(id) || !isSetAside.test(id);
        if (meant && status == SagaStatus.ACTIVE && !late && !NO_GAP.contains(reason)) {
            status = SagaStatus.STUCK;
            stuckOn = id;
        }
        Block block = new Block(news.path("recordVersion").asLong(), setAsideAt);
        senders.forEach(step -> block(step, id, block, step.undoId.equals(sent)));
    }

    private void block(Step step, String id, Block block, boolean undo) {
        if (undo && step.status == StepStatus.UNDOING) {
            status = SagaStatus.COMPENSATION_FAILED;
            put(id, block);
        } else if (!undo && step.status == StepStatus.SENT && step.answeredAt <= block.setAsideAt()) {
            put(id, block);
        }
    }

    private void put(String id, Block block) {
        blockedOn.merge(id, block, (known, later) -> known.recordVersion() > later.recordVersion() ? known : later);
    }

    // ---- repairs

    private void repair(JsonNode repair, String id, long now, List<String> published) {
        switch (repair.path("action").asString("")) {
            case "RETRY" -> retry(published);
            case "RESUME" -> {
                if (status == SagaStatus.STUCK) {
                    goOn(id, now, published);
                } else if (status == SagaStatus.COMPENSATION_FAILED) {
                    retry(published);
                } else if (status == SagaStatus.COMPENSATING) {
                    steps.all().stream()
                            .filter(step -> step.status == StepStatus.UNDOING)
                            .forEach(step -> published.add(step.undo));
                }
            }
            case "FAIL" -> {
                if (status == SagaStatus.ACTIVE || status == SagaStatus.STUCK) {
                    if (status == SagaStatus.STUCK) {
                        mend();
                    }
                    fail(published);
                }
            }
            case "SKIP" -> skip(repair.path("step").asString(""), published);
            case "PATCH" -> {
                if (repair.path("expectedVersion").asLong() == version) {
                    cents = JSON.readTree(repair.path("state").asString(""))
                            .path("cents")
                            .asLong();
                }
            }
            default -> throw new DeviationException("unknown repair " + repair);
        }
    }

    private void mend() {
        status = SagaStatus.ACTIVE;
        mended.add(stuckOn);
        stuckOn = "";
    }

    private void goOn(String cause, long now, List<String> published) {
        mend();
        if (payment != null && payment.wakesAt() <= now && !payment.token().equals(cause)) {
            arm(payment.due(), published);
        }
    }

    private void retry(List<String> published) {
        if (status.isEnded()) {
            return;
        }
        boolean wantsCommands = status == SagaStatus.ACTIVE || status == SagaStatus.STUCK;
        for (String id : List.copyOf(blockedOn.keySet())) {
            for (Step step : steps.all()) {
                boolean undo = step.undoId.equals(id) && step.status == StepStatus.UNDOING;
                boolean command = step.commandId.equals(id) && wantsCommands && step.status == StepStatus.SENT;
                if (undo || command) {
                    published.add(undo ? step.undo : step.command);
                    blockedOn.remove(id);
                    if (status == SagaStatus.COMPENSATION_FAILED) {
                        status = SagaStatus.COMPENSATING;
                    }
                }
            }
        }
    }

    private void skip(String name, List<String> published) {
        Step step = steps.get(name);
        if (step == null || status.isEnded()) {
            return;
        }
        boolean undoes = status == SagaStatus.COMPENSATING || status == SagaStatus.COMPENSATION_FAILED;
        if (undoes && step.status == StepStatus.UNDOING) {
            undone(step, StepStatus.SKIPPED, published);
        } else if (!undoes || step.status == StepStatus.SENT) {
            step.status = StepStatus.SKIPPED;
            blockedOn.remove(step.commandId);
        }
    }

    // ---- comparison with what was written

    /**
     * Compares with the document after a message.
     *
     * @param written the stored document
     */
    void compare(JsonNode written, long writtenVersion) {
        adopt(written);
        require(version == writtenVersion, "version %s instead of %s", writtenVersion, version);
        same("status", status.name(), written.path("status").asString(""));
        same("order", order, written.path("state").path("order").asString(""));
        same("sum", cents, written.path("state").path("cents").asLong());
        same("steps", steps.toString(), ShopSteps.written(written.path("steps")));
        Set<String> blocked = new TreeSet<>();
        written.path("blockedOn")
                .forEach(block -> blocked.add(block.path("message").asString("")));
        same("blocked on", new TreeSet<>(blockedOn.keySet()), blocked);
        JsonNode timeout = written.path("timeouts").path(ShopSaga.PAYMENT);
        same("due", payment == null ? 0L : payment.due(), timeout.path("due").asLong(0));
        same(
                "wakes at",
                payment == null ? 0L : payment.wakesAt(),
                timeout.path("wakesAt").asLong(0));
    }

    /** The engine chooses the token. */
    private void adopt(JsonNode written) {
        if (payment != null) {
            String token = written.path("timeouts")
                    .path(ShopSaga.PAYMENT)
                    .path("token")
                    .asString("");
            payment = new Timeout(token, payment.due(), payment.wakesAt());
        }
    }

    /** The saga's supervision has written it: only a new alarm may come of that, or the news that one was set aside. */
    void lookedAfter(JsonNode written, long writtenVersion) {
        version++;
        if (written.path("status").asString("").equals("STUCK") && status == SagaStatus.ACTIVE) {
            String id = written.path("stuckOn").asString("");
            require(payment != null && payment.token().equals(id), "a saga became stuck on %s without a message", id);
            status = SagaStatus.STUCK;
            stuckOn = id;
        }
        if (payment != null) { // of a new alarm it is now
            long wakesAt = written.path("timeouts")
                    .path(ShopSaga.PAYMENT)
                    .path("wakesAt")
                    .asLong(0);
            payment = new Timeout(payment.token(), payment.due(), wakesAt);
        }
        compare(written, writtenVersion);
    }

    private static void same(String what, Object expected, Object found) {
        require(expected.equals(found), "%s: %s instead of %s", what, found, expected);
    }
}
