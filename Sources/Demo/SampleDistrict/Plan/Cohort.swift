/// The pupils of one grade at one school, with their courses and classes.
///
/// A class is a subject taught to a section. The seats of all classes are filled in order by going through the pupils
/// again and again. Where every pupil takes every subject, this divides the cohort into equal sections. With any other
/// number of seats, each class still gets its exact share, and no pupil twice.
struct Cohort: Sendable {
    let school: Int
    let grade: Grade
    /// Pupils by district-wide index.
    let students: Range<Int>
    let sections: Int
    let classCount: Int
    let seatCount: Int
    /// Number of classes in all cohorts before this one.
    let firstClass: Int
    /// Number of seats in all cohorts before this one.
    let firstSeat: Int
    /// Number of sections in the school's cohorts before this one.
    let firstSlot: Int

    var courseCount: Int {
        (classCount + sections - 1) / sections
    }

    /// The seats of a class, which is given by its index within the cohort.
    func seats(ofClass index: Int) -> Range<Int> {
        seatCount * index / classCount..<seatCount * (index + 1) / classCount
    }

    /// The district-wide index of the pupil who has a seat.
    func student(inSeat seat: Int) -> Int {
        students.lowerBound + seat % students.count
    }

    func subject(ofClass index: Int) -> Int {
        index / sections
    }

    func section(ofClass index: Int) -> Int {
        index % sections
    }
}
