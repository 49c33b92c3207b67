// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incidents;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.actuate.BodyMasker;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Duration;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** An application with a fault in each of its classes, until it is mended. Generated tests are in its package, and start it. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({
    Workshop.Price.class,
    Workshop.Room.class,
    Workshop.Parcel.class,
    Workshop.Trip.class,
    Workshop.Gift.class,
    Workshop.Stock.class,
    Workshop.Loan.class,
    Workshop.Claim.class,
    Workshop.Shelf.class,
    Workshop.Handlers.class
})
class Workshop {

    static final String NODE = "workshop";

    /** Whether somebody has mended the code. */
    static volatile boolean mended;

    @Bean
    BodyMasker masker() {
        return BodyMasker.fields("iban");
    }

    static void requireMended(String problem) {
        if (!mended) {
            throw new IllegalStateException(problem);
        }
    }

    record AskPrice(String item, String iban) {}

    record Priced(String item, int cents, String iban) {}

    /** A step of it throws. */
    @BunnySaga
    static class Price {
        record Asked(String item, String iban) {}

        @Starts
        @BunnyHandler(from = NODE)
        Asked on(AskPrice ask) {
            return new Asked(ask.item(), ask.iban());
        }

        @BunnyHandler(from = NODE)
        void on(Priced priced, Asked asked, SagaContext saga) {
            requireMended("no price for %s%nsecond line".formatted(asked.item()));
            saga.complete();
        }
    }

    record BookRoom(String name) {}

    /** It waits again and again. */
    @BunnySaga
    static class Room {
        record Booking(String name) {}

        @Starts
        @BunnyHandler(from = NODE)
        Booking on(BookRoom book, SagaContext saga) {
            saga.timeout("answer", Duration.ofDays(3));
            return new Booking(book.name());
        }

        @OnTimeout("answer")
        void late(SagaContext saga) {
            if (mended) {
                saga.fail("nobody answers");
            } else {
                saga.timeout("answer", Duration.ofDays(3));
            }
        }
    }

    record SendParcel(String iban) {}

    record Pack(String iban) {}

    record Packed(String parcel) {}

    /** Its participant sets a command aside. */
    @BunnySaga
    static class Parcel {
        record Sent(String iban) {}

        @Starts
        @BunnyHandler(from = NODE)
        Sent on(SendParcel send, SagaContext saga) {
            saga.step("pack", new Pack(send.iban()));
            return new Sent(send.iban());
        }

        @BunnyHandler(from = NODE)
        void on(Packed packed, SagaContext saga) {
            saga.complete();
        }
    }

    record StartTrip(String to) {}

    /** It fails at a timeout. */
    @BunnySaga
    static class Trip {
        record Way(String to) {}

        @Starts
        @BunnyHandler(from = NODE)
        Way on(StartTrip start, SagaContext saga) {
            saga.timeout("seat", Duration.ofMillis(100));
            return new Way(start.to());
        }

        @OnTimeout("seat")
        void late(SagaContext saga) {
            if (!mended) {
                saga.fail("no seat");
            }
        }
    }

    record GiveGift(String iban) {}

    record Wrap(String iban) {}

    record Unwrap(String iban) {}

    record CancelGift(String why) {}

    /** Its undo fails. */
    @BunnySaga
    static class Gift {
        record Given(String iban) {}

        @Starts
        @BunnyHandler(from = NODE)
        Given on(GiveGift give, SagaContext saga) {
            saga.step("wrap", new Wrap(give.iban()), new Unwrap(give.iban()));
            return new Given(give.iban());
        }

        @BunnyHandler(from = NODE)
        void on(CancelGift cancel, SagaContext saga) {
            saga.fail(cancel.why());
        }
    }

    record FillStock(String item) {}

    record Filled(int pieces) {}

    static class Shelf {
        void fill(int pieces) {
            requireMended("the shelf is full: " + pieces);
        }
    }

    /** Only its application can make it. */
    @BunnySaga
    static class Stock {
        record Filling(String item) {}

        private final Shelf shelf;

        Stock(Shelf shelf) {
            this.shelf = shelf;
        }

        @Starts
        @BunnyHandler(from = NODE)
        Filling on(FillStock fill) {
            return new Filling(fill.item());
        }

        @BunnyHandler(from = NODE)
        void on(Filled filled, Filling filling, SagaContext saga) {
            shelf.fill(filled.pieces());
            saga.complete();
        }
    }

    record AskLoan(String who) {}

    record LoanChecked(boolean good) {}

    /** It fails at once, or at a message, after a step. */
    @BunnySaga
    static class Loan {
        record Registered(String who) {}

        @Starts
        @BunnyHandler(from = NODE)
        Registered on(AskLoan ask, SagaContext saga) {
            if (!mended && ask.who().equals("nobody")) {
                saga.fail("nobody gets no loan");
            }
            return new Registered(ask.who());
        }

        @BunnyHandler(from = NODE)
        void on(LoanChecked checked, SagaContext saga) {
            saga.step("letter", new Wrap("for the customer"));
            if (!mended) {
                saga.fail("no good check");
            }
        }
    }

    record OpenClaim(String iban) {}

    record CheckClaim(String iban) {}

    /** It throws, also at its start, and its id is masked. */
    @BunnySaga
    static class Claim {
        record Opened(String day) {}

        @Starts
        @CorrelatedBy("iban")
        @BunnyHandler(from = NODE)
        Opened on(OpenClaim open) {
            requireMended("no claims today");
            return new Opened("Monday");
        }

        @CorrelatedBy("iban")
        @BunnyHandler(from = NODE)
        void on(CheckClaim check, SagaContext saga) {
            requireMended("nobody checks");
            saga.complete();
        }
    }

    record Invoice(String number, String iban) {}

    record Reminder(Day day) {}

    /** A payload that cannot be read. */
    record Day(String name) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        static Day of(String name) {
            requireMended("no such day");
            return new Day(name);
        }
    }

    static class Handlers {
        @BunnyHandler(from = NODE)
        void on(Invoice invoice) {
            if (!mended) {
                throw new PoisonMessageException("invoice %s is negative".formatted(invoice.number()));
            }
        }

        @BunnyHandler(from = NODE)
        void on(Reminder reminder) {}

        @BunnyHandler(from = NODE)
        void on(Pack pack) {
            requireMended("no paper");
        }

        @BunnyHandler(from = NODE)
        void on(Wrap wrap) {}

        @BunnyHandler(from = NODE)
        void on(Unwrap unwrap) {
            requireMended("the gift is open");
        }
    }
}
