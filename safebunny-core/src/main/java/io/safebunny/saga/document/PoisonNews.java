// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.document.SagaBlocks.Block;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * News that a message was set aside. Values that may differ between two copies of the same news travel in headers, because the bodies must
 * be equal. Immutable.
 *
 * @param body the part that is the same in all copies
 * @param reason why the message was set aside, as in header {@code sb-poison-reason}
 * @param setAsideAt in milliseconds since the epoch, by its node's clock; 0 if unknown
 * @param isForSender whether the news is only for the saga that sent the message, because the others have received it
 */
public record PoisonNews(BunnyPoisoned body, String reason, long setAsideAt, boolean isForSender) {

    private static final String REASON = "poison-reason";
    private static final String SET_ASIDE_AT = "poison-set-aside-at";
    private static final String FOR_SENDER = "poison-for-sender";

    /** @param headers of the message that brings the news */
    public static PoisonNews read(BunnyPoisoned body, Map<String, Object> headers) {
        return new PoisonNews(
                body,
                String.valueOf(headers.getOrDefault(REASON, "unknown")),
                headers.get(SET_ASIDE_AT) instanceof Number millis ? millis.longValue() : 0,
                headers.containsKey(FOR_SENDER));
    }

    Map<String, Object> headers() {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put(REASON, reason);
        headers.put(SET_ASIDE_AT, setAsideAt);
        if (isForSender) {
            headers.put(FOR_SENDER, true);
        }
        return headers;
    }

    PoisonNews forSender() {
        return new PoisonNews(body, reason, setAsideAt, true);
    }

    /** The block that this news adds to a saga. */
    public Block block(boolean isUntold) {
        BlockedOn message = new BlockedOn(body.messageId(), body.type(), body.node(), reason);
        return new Block(message, body.recordVersion(), setAsideAt, isUntold);
    }
}
