// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.point;

/** What a node does on behalf of a message, seen from outside SafeBunny. Each has a unique label. */
public enum Operation {
    BEGIN("begin"),
    CLAIM("claim"),
    CLAIM_AGAIN("claim again"),
    TAKE_OVER("take over"),
    HANDLE("handler"),
    EFFECT("effect of step"),
    STORE_STEP("store step"),
    RENEW("renew"),
    COMPLETE("complete"),
    COMPLETE_SILENTLY("complete without publications"),
    COMMIT("commit"),
    ROLL_BACK("rollback"),
    RELEASE("release"),
    MARK_POISONED("poison mark"),
    SEND_FIRST("send first publication"),
    SEND_SECOND("send second publication"),
    SEND_RETRY("send delayed copy"),
    SEND_BACK("send waiting copy"),
    SEND_POISON("send poison copy"),
    MARK_DISPATCHED("dispatch mark"),
    SWEEP("sweep"),
    ACKNOWLEDGE("acknowledge"),
    HAND_BACK("hand back"),
    STORE_PUBLICATION("publication insert"),
    COMMIT_PUBLICATIONS("publications commit"),
    LOOK_BEFORE_SENDING("direct look"),
    DELETE_PUBLICATIONS("publications delete"),
    RELAY_LOOK("relay look"),
    RELAY_CLAIM("relay claim"),
    BAR("bar"),
    SEND("send"),
    CLAIM_TOGETHER("claim of a group"),
    SAVEPOINT("savepoint"),
    RETURN_TO_SAVEPOINT("return to savepoint"),
    COMMIT_TOGETHER("commit of a group"),
    ACKNOWLEDGE_IN_GROUP("acknowledge in a group"),
    FORWARD("forward to a shard"),
    WRITE_DIVISION("division into shards"),
    SEND_MARK("send mark to a shard");

    private final String label;

    Operation(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }

    /** Whether it is a request to the store. */
    public boolean isOfStore() {
        return switch (this) {
            case BEGIN,
                    CLAIM,
                    CLAIM_AGAIN,
                    TAKE_OVER,
                    STORE_STEP,
                    RENEW,
                    COMPLETE,
                    COMPLETE_SILENTLY,
                    COMMIT,
                    ROLL_BACK,
                    RELEASE,
                    MARK_POISONED,
                    MARK_DISPATCHED,
                    BAR,
                    SWEEP,
                    CLAIM_TOGETHER,
                    SAVEPOINT,
                    RETURN_TO_SAVEPOINT,
                    COMMIT_TOGETHER,
                    WRITE_DIVISION -> true;
            default -> isOfOutbox();
        };
    }

    /** Whether it is one of several publications of a message. */
    boolean isOfPublication() {
        return this == SEND_FIRST || this == SEND_SECOND;
    }

    /** Whether it concerns sagas with state only. */
    public boolean isOfSaga() {
        return this == BAR || this == SEND;
    }

    /** Whether it concerns messages that share a transaction only. */
    public boolean isOfGroup() {
        return switch (this) {
            case CLAIM_TOGETHER, SAVEPOINT, RETURN_TO_SAVEPOINT, COMMIT_TOGETHER, ACKNOWLEDGE_IN_GROUP -> true;
            default -> false;
        };
    }

    /** Whether it concerns messages that are forwarded to shards only. */
    public boolean isOfShards() {
        return this == FORWARD || this == WRITE_DIVISION || this == SEND_MARK;
    }

    /** Whether it concerns publications outside handlers. */
    public boolean isOfOutbox() {
        return switch (this) {
            case STORE_PUBLICATION,
                    COMMIT_PUBLICATIONS,
                    LOOK_BEFORE_SENDING,
                    DELETE_PUBLICATIONS,
                    RELAY_LOOK,
                    RELAY_CLAIM -> true;
            default -> false;
        };
    }
}
