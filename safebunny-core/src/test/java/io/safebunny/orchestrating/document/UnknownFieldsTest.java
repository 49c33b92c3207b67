// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating.document;

import static org.assertj.core.api.Assertions.assertThat;

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
}
