// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.MisuseException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class UnknownFieldsTest {

    private static ObjectNode json(String text) {
        return (ObjectNode) JsonMapper.shared().readTree(text.replace('\'', '"'));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                // stored | what this version knows of it | what it writes | what is stored then
                "{'a':1,'x':9} | {'a':1} | {'a':2} | {'a':2,'x':9}",
                "{'a':1} | {'a':1} | {} | {}", // removed by a handler
                "{'a':1} | {'a':1} | {'a':1,'b':2} | {'a':1,'b':2}",
                "{'o':{'a':1,'x':9}} | {'o':{'a':1}} | {'o':{'a':2}} | {'o':{'a':2,'x':9}}",
                "{'o':{'a':1,'x':9}} | {'o':{'a':1}} | {'o':null} | {'o':null}",
                "{'m':{'k':{'a':1,'x':9},'l':{'a':2}}} | {'m':{'k':{'a':1},'l':{'a':2}}} | {'m':{'k':{'a':1}}} | {'m':{'k':{'a':1,'x':9}}}",
                "{'l':[{'a':1,'x':8},{'a':2,'x':9}]} | {'l':[{'a':1},{'a':2}]} | {'l':[{'a':2}]} | {'l':[{'a':2,'x':9}]}",
                "{'l':[{'a':1,'x':8},{'a':2,'x':9}]} | {'l':[{'a':1},{'a':2}]} | {'l':[{'a':2},{'a':1}]} | {'l':[{'a':2,'x':9},{'a':1,'x':8}]}",
                "{'l':[{'a':1,'x':8}]} | {'l':[{'a':1}]} | {'l':[{'a':3}]} | {'l':[{'a':3,'x':8}]}",
                "{'l':[{'a':1,'x':8}]} | {'l':[{'a':1}]} | {'l':[{'a':1},{'a':3}]} | {'l':[{'a':1,'x':8},{'a':3}]}",
                "{'l':[{'a':1,'x':8},{'a':1,'x':9}]} | {'l':[{'a':1},{'a':1}]} | {'l':[{'a':1},{'a':1}]} | {'l':[{'a':1,'x':8},{'a':1,'x':9}]}",
            })
    void survive(String stored, String known, String written, String kept) {
        assertThat(UnknownFields.keep(json(stored), json(known), json(written), name -> true))
                .isEqualTo(json(kept));
    }

    static class Card {
        public String number = "1";
    }

    static class CreditCard extends Card {
        public String limit = "2";
    }

    record Wallet(Card card) {}

    static class OwnId {
        private final UUID id = UUID.randomUUID();

        public UUID getId() {
            return id;
        }
    }

    record Identified(OwnId id) {}

    /** Nobody but this version has written it, so nobody would read it. */
    @Test
    void whatThisVersionItselfWritesAndDoesNotReadIsRefused() {
        for (Object state : List.of(new Wallet(new CreditCard()), new Identified(new OwnId()))) {
            assertThatExceptionOfType(MisuseException.class)
                    .isThrownBy(() -> new StoredStates().write(state))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(MisuseException.SAGA));
        }
        assertThat(new StoredStates().write(new Wallet(new Card())).json()).contains("number");
    }
}
