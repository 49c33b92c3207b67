// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.BunnyMessage;
import io.safebunny.Upcast;
import io.safebunny.encryption.Encrypted;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** An encrypted message in three versions of an application, none of which could read the bodies of the next. */
interface Payment {

    String TYPE = "Payment";

    List<Class<? extends Payment>> VERSIONS = List.of(First.class, Second.class, Third.class);

    int number();

    /** Whose card is charged. */
    String holder();

    static Payment of(int version, int number) {
        String last = "No" + number;
        return switch (version) {
            case 1 -> new First(number, "Ada " + last);
            case 2 -> new Second(number, "Ada", last);
            default -> new Third(number, new Third.Person("Ada", last));
        };
    }

    static String holder(int number) {
        return "Ada No" + number;
    }

    /** What whoever is charged gets. */
    @Encrypted(key = KeyFile.NAME)
    record Receipt(int number) {}

    @BunnyMessage(TYPE)
    @Encrypted(key = KeyFile.NAME)
    record First(int number, String holder) implements Payment {}

    @BunnyMessage(value = TYPE, version = 2)
    @Encrypted(key = KeyFile.NAME)
    record Second(int number, String first, String last) implements Payment {

        @Upcast(from = 1)
        static ObjectNode split(ObjectNode body) {
            String[] parts = body.remove("holder").asString().split(" ", -1);
            return body.put("first", parts[0]).put("last", parts[1]);
        }

        @Override
        public String holder() {
            return first + " " + last;
        }
    }

    @BunnyMessage(value = TYPE, version = 3)
    @Encrypted(key = KeyFile.NAME)
    record Third(int number, Person person) implements Payment {

        record Person(String first, String last) {}

        @Upcast(from = 1)
        static ObjectNode split(ObjectNode body) {
            return Second.split(body);
        }

        @Upcast(from = 2)
        static ObjectNode nested(ObjectNode body) {
            ObjectNode nested = body.objectNode();
            nested.set("first", body.remove("first"));
            nested.set("last", body.remove("last"));
            body.set("person", nested);
            return body;
        }

        @Override
        public String holder() {
            return person.first() + " " + person.last();
        }
    }
}
