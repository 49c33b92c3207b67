// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** How a message type is named on the wire, how long its messages are worth handling, which go first, which keep their order, and which version and format their bodies have. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface BunnyMessage {

    /** Name of the type on the wire: {@code [A-Za-z][A-Za-z0-9_$]*}, at most 100 characters; by default the simple class name. */
    String value() default "";

    /**
     * How long a message may be handled, for example {@code 30s}: 1 ms to 365 days, counted from when it is published or, if it is delayed,
     * from when it is due. Read by the node that publishes; {@link PublishOptions#withDeadline} takes precedence. By default messages have no
     * deadline.
     */
    String validFor() default "";

    /** What becomes of a message whose deadline has passed before it was handled. Read by the node that receives it. */
    Expired expired() default Expired.POISON;

    /**
     * Priority of a message, 0 to 31: messages of 5 and more overtake waiting ones without a priority, which count as 4. Read by the node
     * that publishes; {@link PublishOptions#withPriority} takes precedence. By default messages have none. What the broker makes of it
     * depends on its version: see there.
     */
    int priority() default NO_PRIORITY;

    /**
     * Name of the property or record component whose value is the order key of a message: messages with one key take effect in the order in
     * which they were published, at handlers that are {@linkplain BunnyHandler#ordered ordered}. Its value, as text, must have 1 to 128
     * characters of {@code [A-Za-z0-9._:-]}. Read by the node that publishes; {@link PublishOptions#withOrderKey} takes precedence. By default
     * the key is the correlation id.
     */
    String orderBy() default "";

    /**
     * Version of the bodies that this class writes, 1 to 1,000,000. It reads bodies of every earlier version, too, each of which needs a method
     * with {@link Upcast} in this class. A body of a later version comes back each minute, at no cost of an attempt, until an instance handles
     * it whose class has that version. Raise it for what an older class would read wrongly; what it would only not see, such as a new property,
     * needs no version. By default 1.
     */
    int version() default 1;

    /**
     * Format of the bodies that are written of this class: {@code json}; {@code cbor}, with safebunny-cbor; or the name of a {@link
     * io.safebunny.serialization.MessageSerializer} of the application. A node reads every format that it has, whatever it writes, so a type
     * changes its format in this order: all nodes that receive it get the format's module, and then the class names it. A node that handles
     * the class and does not have the format does not start. By default the application's: {@code json}. Messages of protobuf need no name.
     */
    String format() default "";

    /** No priority. */
    int NO_PRIORITY = -1;

    /** What becomes of an expired message, unless its handler has a method with {@link OnExpired}. */
    enum Expired {
        /** It goes to the poison queue with the reason {@code expired}. A replay handles it: replayed messages have no deadline. */
        POISON,
        /**
         * It is acknowledged and never handled, and there is no copy of it. That is logged, counted by {@code safebunny.expired}, and told by
         * the story of its id.
         */
        DROP
    }
}
