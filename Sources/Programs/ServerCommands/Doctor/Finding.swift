import CommandOutput

typealias Finding = DoctorFinding
